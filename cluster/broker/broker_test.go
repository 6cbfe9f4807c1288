package broker_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"crawler/cluster"
	"crawler/cluster/broker"
)

// certificate writes a certificate for 127.0.0.1 that signs itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

// Who has neither the credentials nor the authority's certificate is not let in; a broker without
// TLS is not spoken to where that is asked for.
func TestTLSAndCredentials(t *testing.T) {
	cert, key := certificate(t)
	creds := filepath.Join(t.TempDir(), "creds")
	if err := os.WriteFile(creds, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := broker.Start(broker.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Cert: cert, Key: key, Token: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Stop()
	url := "nats://" + b.Addr()
	for name, c := range map[string]struct {
		broker cluster.Broker
		well   bool
	}{
		"all":                            {cluster.Broker{URL: url, Creds: creds, CA: cert}, true},
		"in the process":                 {cluster.Broker{Local: b, Creds: creds}, true},
		"any certificate":                {cluster.Broker{URL: url, Creds: creds, Open: true}, true},
		"no credentials":                 {cluster.Broker{URL: url, CA: cert}, false},
		"in the process, no credentials": {cluster.Broker{Local: b}, false},
		"an unknown authority":           {cluster.Broker{URL: url, Creds: creds}, false},
	} {
		nc, err := c.broker.Connect(name)
		if (err == nil) != c.well {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			nc.Close()
		}
	}
	open, err := broker.Start(broker.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Stop()
	if nc, err := (&cluster.Broker{URL: "nats://" + open.Addr(), CA: cert}).Connect("x"); err == nil {
		nc.Close()
		t.Error("a broker without TLS is spoken to, although its authority was named")
	}
}

// A port that is taken, and an address that is none, are errors: the server itself would end the
// process.
func TestListen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, listen := range []string{l.Addr().String(), "127.0.0.1", "127.0.0.1:70000", "127.0.0.1:x", "192.0.2.1:4222"} {
		b, err := broker.Start(broker.Config{Dir: t.TempDir(), Listen: listen})
		if err == nil {
			b.Stop()
			t.Errorf("a broker listens on %s", listen)
		}
	}
}
