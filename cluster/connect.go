package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// How a connection to the broker is watched over. One that is silent for ping x missed is taken
// for broken, so a partition is noticed although nothing says so.
const (
	connectWait   = 5 * time.Second
	reconnectWait = 100 * time.Millisecond
	pingEvery     = 2 * time.Second
	pingsMissed   = 2
	// maxSecret bounds a file of credentials, in bytes.
	maxSecret = 64 << 10
)

// Broker says how the broker is reached.
type Broker struct {
	URL   string // nats://HOST:PORT or tls://HOST:PORT, several separated by commas
	Creds string // file: NATS credentials, or one line with a token or USER:PASSWORD
	CA    string // file: who signs the broker's certificate; "" asks the system
	Cert  string // files: the certificate that this client shows, and its key
	Key   string
	// Open takes a broker that has neither TLS nor credentials wherever it is, and any
	// certificate.
	Open bool
	// Local, if not nil, is a broker in this process, which needs no TLS.
	Local nats.InProcessConnProvider
}

// ErrOpenBroker means that a broker is neither on this machine nor has it TLS and credentials:
// who can publish there steers the crawl.
var ErrOpenBroker = errors.New("neither loopback nor with TLS and credentials")

// ErrAddress means that what should be a broker's address is none.
var ErrAddress = errors.New("a broker's address is like nats://HOST:4222")

// Loopback reports whether an address or host:port is this machine's alone.
func Loopback(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// loopback reports whether all of the broker's addresses are loopback ones.
func (b *Broker) loopback() (bool, error) {
	if b.URL == "" {
		return false, ErrAddress
	}
	for one := range strings.SplitSeq(b.URL, ",") {
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return false, fmt.Errorf("%w, not %q", ErrAddress, u.Redacted())
		}
		if u.User != nil {
			return false, fmt.Errorf("%w: user and password belong into a file for --creds", ErrAddress)
		}
		if !Loopback(u.Host) {
			return false, nil
		}
	}
	return true, nil
}

// Check returns ErrOpenBroker, or another error, for a broker that must not be used as this one
// would be.
func (b *Broker) Check() error {
	if b.Local != nil {
		return nil
	}
	local, err := b.loopback()
	if err != nil {
		return err
	}
	if !local && !b.Open && b.Creds == "" {
		return fmt.Errorf("the broker %s is %w", b.URL, ErrOpenBroker)
	}
	return nil
}

// Connect connects to the broker and stays connected, over restarts of the broker too, until the
// connection is closed. What it is for is its name in the broker's lists.
func (b *Broker) Connect(name string) (*nats.Conn, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	opts, err := b.options(name)
	if err != nil {
		return nil, err
	}
	address := b.URL
	if b.Local != nil {
		opts = append(opts, nats.InProcessServer(b.Local))
		address = ""
	}
	nc, err := nats.Connect(address, opts...)
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", b.URL, err)
	}
	return nc, nil
}

func (b *Broker) options(name string) ([]nats.Option, error) {
	opts := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(reconnectWait/2, reconnectWait),
		nats.Timeout(connectWait), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsMissed), nats.ReconnectBufSize(-1),
	}
	auth, err := b.auth()
	if err != nil {
		return nil, err
	}
	opts = append(opts, auth...)
	if b.Local != nil {
		return opts, nil
	}
	local, err := b.loopback()
	if err != nil {
		return nil, err
	}
	if b.Open { // TLS if the broker wants it, with any certificate
		opts = append(opts, func(o *nats.Options) error {
			o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}
			return nil
		})
	} else if !local {
		opts = append(opts, nats.Secure())
	}
	if b.CA != "" {
		opts = append(opts, nats.RootCAs(b.CA))
	}
	if b.Cert != "" || b.Key != "" {
		opts = append(opts, nats.ClientCert(b.Cert, b.Key))
	}
	return opts, nil
}

// auth reads the credentials.
func (b *Broker) auth() ([]nats.Option, error) {
	if b.Creds == "" {
		return nil, nil
	}
	s, err := ReadSecret(b.Creds)
	if err != nil {
		return nil, err
	}
	switch {
	case s.Chained:
		return []nats.Option{nats.UserCredentials(b.Creds)}, nil
	case s.Token != "":
		return []nats.Option{nats.Token(s.Token)}, nil
	}
	return []nats.Option{nats.UserInfo(s.User, s.Password)}, nil
}

// Secret is what a file of credentials has.
type Secret struct {
	Chained        bool // it is a credentials file of NATS: a signed user and its key
	Token          string
	User, Password string
}

// ReadSecret reads a file of credentials. It has at most 64 KiB.
func ReadSecret(file string) (Secret, error) {
	info, err := os.Stat(file)
	if err == nil && info.Size() > maxSecret {
		err = fmt.Errorf("%s has more than %d bytes", file, maxSecret)
	}
	if err != nil {
		return Secret{}, fmt.Errorf("credentials: %w", err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Secret{}, fmt.Errorf("credentials: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if strings.Contains(text, "BEGIN NATS USER JWT") {
		return Secret{Chained: true}, nil
	}
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return Secret{}, fmt.Errorf("credentials: %s has neither NATS credentials nor one line with a token or USER:PASSWORD", file)
	}
	if user, password, ok := strings.Cut(text, ":"); ok {
		return Secret{User: user, Password: password}, nil
	}
	return Secret{Token: text}, nil
}
