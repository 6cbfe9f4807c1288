package clustercmd

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"crawler/cluster"
	"crawler/cmd/crawler/internal/shell"
)

// brokerConfig is an embedded broker.
type brokerConfig struct {
	dir, listen, name    string
	creds, cert, key, ca string
	route                string
	peers                []string
}

// embedFlags say whether and where a broker runs in this process.
type embedFlags struct {
	listen string
	peers  []string
}

func (e *embedFlags) declare(f *pflag.FlagSet, listen string) {
	what := "run a broker in this process, too, at `HOST:PORT`, one of those of --peers"
	if listen != "" {
		what = "run the broker in this process at `HOST:PORT`; on an address that is not loopback it needs --cert, --key and --creds (default " + listen + ", or a free port)"
	}
	f.StringVar(&e.listen, "listen", "", what)
	f.StringSliceVar(&e.peers, "peers", nil, "three brokers keep everything, and two of them suffice: `HOST:PORT,...` where they find each other, this one's first")
}

// peerCount is how many brokers keep everything together.
const peerCount = 3

// config is the broker that the flags ask for.
func (e *embedFlags) config(dir string, b *brokerFlags, insecure bool) (brokerConfig, error) {
	c := brokerConfig{dir: filepath.Join(dir, "nats"), listen: e.listen, creds: b.creds, cert: b.cert, key: b.key, ca: b.ca}
	addresses := append([]string{e.listen}, e.peers...)
	for _, a := range addresses {
		if _, _, err := net.SplitHostPort(a); err != nil {
			return c, shell.UsageError("write it like 127.0.0.1:4222", "%q is no HOST:PORT", a)
		}
		if !cluster.Loopback(a) && !(b.open || insecure) && (b.cert == "" || b.key == "" || b.creds == "") {
			return c, shell.UsageError("give --cert, --key and --creds, and nodes --ca and --creds; or --insecure-broker where nobody else can reach it: who reaches the broker steers the crawl",
				"a broker at %s is %w", a, cluster.ErrOpenBroker)
		}
	}
	if (b.cert == "") != (b.key == "") {
		return c, shell.UsageError("", "--cert and --key go together")
	}
	if n := len(e.peers); n != 0 && n != peerCount {
		return c, shell.UsageError(fmt.Sprintf("name %d: of these any two suffice", peerCount), "--peers names %s", shell.Counted(n, "broker"))
	}
	if len(e.peers) > 0 {
		host, _ := os.Hostname()
		c.route, c.peers, c.name = e.peers[0], e.peers[1:], fmt.Sprintf("%s-%s", host, e.peers[0])
	}
	return c, nil
}

// How long brokers may take to find each other and to have one that leads, and how often that is
// looked at.
const (
	peersWait = 2 * time.Minute
	peersLook = 500 * time.Millisecond
)

// patiently calls f until it succeeds, if there are peers, which take their time to find each
// other.
func (e *embedFlags) patiently(ctx context.Context, f func() error) error {
	err := f()
	for late := time.After(peersWait); err != nil && len(e.peers) > 0; err = f() {
		select {
		case <-time.After(peersLook):
		case <-late:
			return err
		case <-ctx.Done():
			return err
		}
	}
	return err
}

// start starts the broker that join was asked for, if it was; stop ends it.
func (e *embedFlags) start(dir string, b *brokerFlags, insecure bool) (local nats.InProcessConnProvider, stop func(), err error) {
	if e.listen == "" && len(e.peers) == 0 {
		return nil, func() {}, nil
	}
	if e.listen == "" || len(e.peers) == 0 {
		return nil, nil, shell.UsageError("", "a broker of this node needs both --listen and --peers")
	}
	c, err := e.config(dir, b, insecure)
	if err != nil {
		return nil, nil, err
	}
	local, _, stop, err = startBroker(c)
	return local, stop, err
}
