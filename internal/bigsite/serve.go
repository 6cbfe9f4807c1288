package bigsite

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve serves a site on a free port of loopback to one crawler after the other; site makes
// it for its authority. A site with TLS has a certificate that nobody vouches for. To out it
// writes the site's URL, and for every line of in an Asked as JSON, a line each: what was asked
// for since the one before. It returns when in ends, so that a server's process outlives nobody
// who holds the other end of its standard input.
func Serve(in io.Reader, out io.Writer, site func(authority string) (*Site, error)) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	authority := listener.Addr().String()
	s, err := site(authority)
	if err != nil {
		return err
	}
	counts := NewCounts(s)
	scheme := "http"
	if s.TLS {
		scheme = "https"
		if listener, err = secured(listener); err != nil {
			return err
		}
	}
	server := &http.Server{Handler: counts, ReadHeaderTimeout: 10 * time.Second}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	defer serving.Wait()
	defer server.Close()
	if _, err := fmt.Fprintf(out, "%s://%s\n", scheme, authority); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		asked := counts.Asked()
		counts.Reset()
		if err := json.NewEncoder(out).Encode(asked); err != nil {
			return err
		}
	}
	return lines.Err()
}

// secured speaks TLS, and HTTP/1.1 only: some clients would choose HTTP/2, and be compared with
// others that do not.
func secured(l net.Listener) (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return l, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return l, err
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"http/1.1"}}), nil
}
