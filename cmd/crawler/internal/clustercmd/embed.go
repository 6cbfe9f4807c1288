//go:build !lite

package clustercmd

import (
	"github.com/nats-io/nats.go"

	"crawler/cluster"
	"crawler/cluster/broker"
	"crawler/cmd/crawler/internal/shell"
)

// embedded says whether this program has a broker of its own.
const embedded = true

// startBroker starts the embedded broker. addr is where nodes find it.
func startBroker(e brokerConfig) (b nats.InProcessConnProvider, addr string, stop func(), err error) {
	c := broker.Config{Dir: e.dir, Listen: e.listen, Name: e.name, Cert: e.cert, Key: e.key, CA: e.ca, Route: e.route, Peers: e.peers, Cluster: "crawler"}
	if e.creds != "" {
		s, err := cluster.ReadSecret(e.creds)
		if err != nil {
			return nil, "", nil, shell.UsageError("", "%w", err)
		}
		if s.Chained {
			return nil, "", nil, shell.UsageError("write a line of your own into a file: a token, or USER:PASSWORD", "--creds %s: an embedded broker takes no NATS credentials", e.creds)
		}
		c.Token, c.User, c.Password = s.Token, s.User, s.Password
	}
	server, err := broker.Start(c)
	if err != nil {
		return nil, "", nil, shell.UsageError("choose another --listen HOST:PORT", "%w", err)
	}
	if err := server.Ready(nil); err != nil {
		server.Stop()
		return nil, "", nil, &shell.ExitError{Code: shell.ExitFailed, Err: err, Hint: "start the other brokers within two minutes: join with --listen and the same --peers"}
	}
	return server, server.Addr(), server.Stop, nil
}
