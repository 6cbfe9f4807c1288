// Package broker is a NATS server with JetStream inside this process, so that a crawl on several
// machines begins without anything to install. It writes each message to disk before it
// acknowledges it (sync always). One costs about 10 MB of binary and 8 MiB of memory; -tags lite
// leaves it out of the program.
package broker

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// startWait is how long the server may take until it answers, and peersWait until the brokers
	// have found each other and chosen one that leads.
	startWait = 20 * time.Second
	peersWait = 2 * time.Minute
	// maxMemory is what tables in memory may take: leases alone are there.
	maxMemory = 64 << 20
	// maxPayload is the longest message, in bytes.
	maxPayload = 2 << 20
	// maxStore is more than any disk has: streams have limits of their own.
	maxStore = 1 << 50
)

// Config says how the server runs.
type Config struct {
	Dir    string // where it keeps its streams
	Listen string // HOST:PORT for nodes; port 0 is any
	Name   string // of this server among its peers

	Cert, Key string // files: the server's certificate, and its key; "" is without TLS
	CA        string // file: who signs the certificates of peers

	// What nodes must show: a token, or user and password; all empty, nothing.
	Token, User, Password string

	// Route is where peers find this server, and Peers are they, as HOST:PORT; without peers it is
	// alone. Three keep what two of them have. Cluster is the name that they share.
	Route   string
	Peers   []string
	Cluster string
}

// Broker is a server that runs.
type Broker struct{ server *server.Server }

// Start starts a server and waits until it answers; with peers, until they have found each other.
func Start(c Config) (*Broker, error) {
	opts, err := c.options()
	if err != nil {
		return nil, err
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	}
	s.Start()
	b := &Broker{s}
	if !s.ReadyForConnections(startWait) {
		b.Stop()
		return nil, fmt.Errorf("broker: it does not answer on %s: is the address this machine's, and the port free?", c.Listen)
	}
	return b, nil
}

func (c *Config) options() (*server.Options, error) {
	host, port, err := split(c.Listen)
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	// A server that cannot listen ends the process.
	if l, err := net.Listen("tcp", c.Listen); err != nil {
		return nil, fmt.Errorf("broker: %w", err)
	} else if err := l.Close(); err != nil {
		return nil, err
	}
	opts := &server.Options{
		ServerName: c.Name, Host: host, Port: port, NoSigs: true, NoLog: true, NoSystemAccount: len(c.Peers) == 0,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, JetStreamMaxMemory: maxMemory, JetStreamMaxStore: maxStore,
		MaxPayload: maxPayload, Authorization: c.Token, Username: c.User, Password: c.Password,
	}
	if c.Cert != "" {
		if opts.TLSConfig, err = c.tls(); err != nil {
			return nil, err
		}
		opts.TLS, opts.TLSTimeout = true, 5
	}
	if len(c.Peers) == 0 {
		return opts, nil
	}
	return opts, c.cluster(opts)
}

// cluster has the server find its peers.
func (c *Config) cluster(opts *server.Options) error {
	host, port, err := split(c.Route)
	if err != nil {
		return err
	}
	opts.Cluster = server.ClusterOpts{Name: c.Cluster, Host: host, Port: port, Username: c.Cluster, Password: c.routeSecret(), PoolSize: -1}
	if opts.TLSConfig != nil {
		t := opts.TLSConfig.Clone()
		t.ClientAuth = tls.RequireAndVerifyClientCert
		opts.Cluster.TLSConfig, opts.Cluster.TLSTimeout = t, 5
	}
	for _, p := range c.Peers {
		if _, _, err := split(p); err != nil {
			return err
		}
		opts.Routes = append(opts.Routes, &url.URL{Scheme: "nats", Host: p, User: url.UserPassword(c.Cluster, c.routeSecret())})
	}
	return nil
}

// routeSecret is what peers show each other: what nodes show.
func (c *Config) routeSecret() string { return c.Token + c.User + ":" + c.Password }

// tls reads the certificates.
func (c *Config) tls() (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("broker: certificate: %w", err)
	}
	t := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("broker: certificates: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("broker: %s has no certificate", c.CA)
		}
		t.RootCAs, t.ClientCAs = pool, pool
	}
	return t, nil
}

func split(hostport string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(hostport)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("broker: %q is no HOST:PORT", hostport)
	}
	return host, port, nil
}

// ErrAlone means that a broker with peers has not found enough of them.
var ErrAlone = errors.New("broker: its peers were not found")

// Ready waits until streams can be made: with peers that takes two of three.
func (b *Broker) Ready(stop <-chan struct{}) error {
	late := time.After(peersWait)
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		if b.server.JetStreamEnabled() && (!b.server.JetStreamIsClustered() || b.leads()) {
			tick.Stop()
			return nil
		}
		select {
		case <-tick.C:
		case <-late:
			return ErrAlone
		case <-stop:
			return ErrAlone
		}
	}
}

// leads reports whether the peers have one that leads.
func (b *Broker) leads() bool {
	return b.server.JetStreamIsLeader() || b.server.JetStreamIsCurrent()
}

// Addr is where nodes find the server.
func (b *Broker) Addr() string { return b.server.Addr().String() }

// InProcessConn connects within the process: nats.InProcessServer takes a Broker.
func (b *Broker) InProcessConn() (net.Conn, error) { return b.server.InProcessConn() }

// Stop ends the server and waits until it has.
func (b *Broker) Stop() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}
