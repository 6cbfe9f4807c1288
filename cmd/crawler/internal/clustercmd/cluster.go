// Package clustercmd has the verbs of a crawl on several machines: cluster start, join, status,
// pause, resume and stop. What a node does is in package cluster; here are its settings, the
// engines of its shards, and what is printed.
package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/shell"
)

// brokerFlags say how the broker is reached.
type brokerFlags struct {
	creds, ca, cert, key, id string
	open                     bool
}

func (b *brokerFlags) declare(f *pflag.FlagSet) {
	f.StringVar(&b.creds, "creds", "", "what nodes show to the broker: a `FILE` with NATS credentials, or one line with a token or USER:PASSWORD")
	f.StringVar(&b.ca, "ca", "", "`FILE` with the certificates of who may sign the broker's")
	f.StringVar(&b.cert, "cert", "", "`FILE` with this node's certificate: an embedded broker's own, or what the broker is shown")
	f.StringVar(&b.key, "key", "", "`FILE` with the certificate's key")
	f.BoolVar(&b.open, "insecure-broker", false, "take a broker without TLS and credentials on any address, and any certificate of it: who reaches it steers the crawl")
	shell.Group(f, "Broker")
}

// broker is the one at an address.
func (b *brokerFlags) broker(address string, insecure bool) cluster.Broker {
	return cluster.Broker{URL: address, Creds: b.creds, CA: b.ca, Cert: b.cert, Key: b.key, Open: b.open || insecure}
}

// openHint is what to do about a broker that may not be used as it is.
const openHint = "give the broker TLS and credentials (--creds, --ca), or --insecure-broker where nobody else can reach it; crawler cluster start --help says more"

// connect connects to the broker, and explains why that fails.
func connect(b cluster.Broker, name string) (*nats.Conn, error) {
	nc, err := b.Connect(name)
	switch {
	case err == nil:
		return nc, nil
	case errors.Is(err, cluster.ErrOpenBroker):
		return nil, shell.UsageError(openHint, "%w", err)
	case errors.Is(err, nats.ErrAuthorization):
		return nil, shell.UsageError("give what it wants: --creds FILE", "%w", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return nil, shell.UsageError(openHint, "%w", err)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout):
		return nil, &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "is the first node running, and its address right? It prints the command to join"}
	case errors.Is(err, os.ErrNotExist), errors.Is(err, cluster.ErrAddress):
		return nil, shell.UsageError("", "%w", err)
	}
	return nil, &shell.ExitError{Code: shell.ExitFailed, Err: err}
}

// find finds the crawl in the broker.
func find(ctx context.Context, nc *nats.Conn, id string) (*cluster.Crawl, error) {
	c, err := cluster.Open(ctx, nc, id)
	switch {
	case errors.Is(err, cluster.ErrNoCrawl):
		return nil, shell.UsageError("crawler cluster start DIR URL begins one", "%w", err)
	case errors.Is(err, cluster.ErrNewer):
		return nil, &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "use that version of crawler on all machines"}
	case errors.Is(err, cluster.ErrSeveral):
		return nil, shell.UsageError("say which: --id ID", "%w", err)
	case err != nil:
		return nil, &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("the broker: %w", err), Hint: "is JetStream on there, and may these credentials use it?"}
	}
	return c, nil
}
