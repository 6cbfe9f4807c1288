package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
	}
	a.cert = sign(t, template, template, a.key, a.key)
	return a
}

func sign(t *testing.T, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// issue makes a server's certificate, signed by the authority or, with a nil one, by
// itself.
func (a *authority) issue(t *testing.T, from, to time.Duration, names ...string) tls.Certificate {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "test server"}, DNSNames: names,
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to),
	}
	parent, parentKey := template, key
	if a != nil {
		parent, parentKey = a.cert, a.key
	}
	return tls.Certificate{Certificate: [][]byte{sign(t, template, parent, key, parentKey).Raw}, PrivateKey: key}
}

// What is wrong with a certificate is told in words, and --insecure takes it all the
// same. RFC 5280, section 6 and RFC 9110, section 4.3.4.
func TestRFC9110_4_3_4_Certificates(t *testing.T) {
	const day = 24 * time.Hour
	known, unknown := newAuthority(t), newAuthority(t)
	roots := x509.NewCertPool()
	roots.AddCert(known.cert)
	many := make([]string, 500)
	for i := range many {
		many[i] = fmt.Sprintf("host-%d.test", i)
	}
	for _, x := range []struct {
		name string
		cert tls.Certificate
		want string // "" for a certificate that is good
	}{
		{"good", known.issue(t, -day, day, "e.test"), ""},
		{"good, by a wildcard", known.issue(t, -day, day, "e.test", "*.test"), ""},
		{"expired", known.issue(t, -2*day, -day, "e.test"), "certificate expired at 20"},
		{"not yet valid", known.issue(t, day, 2*day, "e.test"), "certificate is not valid before 20"},
		{"self-signed", (*authority)(nil).issue(t, -day, day, "e.test"), "certificate is self-signed"},
		{"of an unknown authority", unknown.issue(t, -day, day, "e.test"), "certificate is by an authority this machine does not trust"},
		{"for another name", known.issue(t, -day, day, "other.test"), `certificate is for "other.test", not for "e.test"`},
		{"for a subdomain", known.issue(t, -day, day, "*.e.test"), `certificate is for "*.e.test", not for "e.test"`},
		{"for 500 other names", known.issue(t, -day, day, many...), `certificate is for "host-0.test" and 499 more, not for "e.test"`},
		{"for no name", known.issue(t, -day, day), `certificate is for no host`},
		{"with a name that is none", known.issue(t, -day, day, "a\x1b[2J\r\nb.test"), `"a\x1b[2J\r\nb.test"`},
	} {
		t.Run(x.name, func(t *testing.T) {
			srv, _ := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) },
				func(srv *httptest.Server) { srv.TLS.Certificates = []tls.Certificate{x.cert} })
			to := map[string]string{"e.test:443": srv.Listener.Addr().String()}
			res, err := newClient(t, Config{Resolve: to, TLS: &tls.Config{RootCAs: roots}}).Get(t.Context(), mustURL(t, "https://e.test/"))
			res.Release()
			switch {
			case x.want == "" && err != nil:
				t.Error(err)
			case x.want != "" && (reasonOf(t, err) != ReasonTLS || !strings.Contains(err.Error(), x.want) || len(err.Error()) > 300):
				t.Errorf("%v, want %q", err, x.want)
			}
			if res := get(t, newClient(t, Config{Resolve: to, TLS: &tls.Config{InsecureSkipVerify: true}}), "https://e.test/"); string(res.Body) != page {
				t.Errorf("insecure: %q", res.Body)
			}
		})
	}
}

func TestCertificateOfAnAddress(t *testing.T) {
	for names, want := range map[*x509.Certificate]string{
		{}: "no host",
		{IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)}}:                               "10.0.0.1",
		{IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1), net.IPv6loopback}}:             "10.0.0.1 and 1 more",
		{DNSNames: []string{"e.test"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)}}: `"e.test" and 1 more`,
		{DNSNames: []string{strings.Repeat("a", 500) + ".test"}}:                     `"` + strings.Repeat("a", maxShown) + `"`,
	} {
		if got := certificateNames(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
