package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crawler/internal/mazes"
)

// forbidding is the robots.txt of hosts that misbehave elsewhere. What it forbids is
// linked all the same.
const forbidding = "User-agent: *\nDisallow: /private/\n"

// chain is a host whose pages each link to the next and to one act, so that harmless
// answers and acts take turns whatever the crawler tries again.
type chain []act

func (f *Farm) addChains() {
	for i, c := range deal(f.cfg) {
		f.add(f.at(fmt.Sprintf("chain-%02d", i)), c.serve)
	}
}

// deal deals the acts to the chains, all of them once before any comes again, until
// every chain has work for as long as the honest hosts have.
func deal(cfg Config) []chain {
	chains, load := make([]chain, cfg.Chains), make([]time.Duration, cfg.Chains)
	whole := time.Duration(share * float64(cfg.Last))
	r, all := random(cfg.Seed, "deck"), acts()
	for dealt := 0; ; dealt++ {
		least := slices.Index(load, slices.Min(load))
		if load[least] >= whole && dealt >= len(all) {
			return chains
		}
		if dealt%len(all) == 0 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		}
		a := all[dealt%len(all)]
		chains[least] = append(chains[least], a)
		load[least] += cfg.time(a.cost)
	}
}

// time is what a page of a chain and its act take: three tries if it fails, with
// back-offs of one and two seconds.
func (c Config) time(of cost) time.Duration {
	switch of {
	case stalls:
		return c.Delay + 3*c.Timeout + 3*time.Second
	case fails:
		return c.Delay + 3*time.Second
	}
	return 2 * c.Delay
}

// serve has page n at /p/n and its act at /NAME/n.
func (c chain) serve(x *exchange) {
	if x.forbidden(forbidding) {
		return
	}
	name, no, _ := strings.Cut(strings.TrimPrefix(x.URL.Path, "/"), "/")
	n, err := strconv.Atoi(no)
	switch {
	case x.URL.Path == "/":
		c.page(x, 0)
	case err != nil || n < 0 || n >= len(c):
		x.answer(404, html, x.document(10))
	case name == "p":
		c.page(x, n)
	case name == c[n].name:
		c[n].do(x)
	default:
		x.answer(404, html, x.document(10))
	}
}

func (c chain) page(x *exchange, n int) {
	links := []string{"/", fmt.Sprint("/private/", n), fmt.Sprintf("/%s/%d", c[n].name, n)}
	if n+1 < len(c) {
		links = append(links, fmt.Sprint("/p/", n+1))
	}
	x.answer(200, html, x.document(80, links...))
}

// forbidden answers a request for robots.txt, and one for what it forbids, which is a
// violation.
func (x *exchange) forbidden(robots string) bool {
	switch {
	case x.URL.Path == robotsPath:
		x.answer(200, "Content-Type: text/plain\r\n", robots)
		return true
	case strings.HasPrefix(x.URL.Path, "/private/"):
		x.farm.violate(x.address() + ", which robots.txt forbids")
		x.answer(200, html, x.document(10))
		return true
	}
	return false
}

// addTroubled adds hosts that are troubled as a whole.
func (f *Farm) addTroubled() {
	for i := range 4 {
		pages := max(2, int(f.cfg.Last/(4*f.cfg.Delay)))
		f.add(f.at(fmt.Sprintf("flapping-%02d", i)), func(x *exchange) { flap(x, pages) })
	}
	for i := range 4 {
		f.add(f.at(fmt.Sprintf("silent-%02d", i)), (*exchange).stall)
	}
	f.add(f.at("links"), func(x *exchange) {
		if !x.forbidden(forbidding) {
			x.answer(200, html, tooManyLinks(x, f.cfg.Links)) // more than the host's budget
		}
	})
	for i, b := range []busy{
		{503, "", 2}, {429, "1", 2}, {503, "junk", 1}, {429, "0", 2}, {503, "-5", 1}, // for a while
		{503, "", forever}, {429, "1", forever}, {429, "86400", forever}, {503, "99999999999999999999", forever}, {503, "Fri, 31 Dec 2100 23:59:59 GMT", forever},
	} {
		f.add(f.at(fmt.Sprintf("busy-%02d", i)), b.serve)
	}
}

// flap serves a chain of pages, of which it answers two in three requests.
func flap(x *exchange, pages int) {
	mood := x.rand.IntN(12)
	switch {
	case mood == 0:
		x.reset()
	case mood == 1:
	case mood == 2:
		x.answer(503, "", "")
	case mood == 3:
		x.partly(0.5)
	case x.forbidden(forbidding):
	default:
		n, _ := strconv.Atoi(strings.TrimPrefix(x.URL.Path, "/p/"))
		links := []string{"/private/x"}
		if n+1 < pages {
			links = append(links, fmt.Sprint("/p/", n+1))
		}
		x.answer(200, html, x.document(60, links...))
	}
}

// busy is a host that asks for patience.
type busy struct {
	status int
	after  string // of Retry-After
	times  int    // for how many requests of "/"
}

const forever = 1 << 30

func (b busy) serve(x *exchange) {
	if x.forbidden(forbidding) {
		return
	}
	header := ""
	if b.after != "" {
		header = "Retry-After: " + b.after + "\r\n"
	}
	if x.URL.Path == "/" && x.nth < b.times {
		x.answer(b.status, header, "")
		return
	}
	x.answer(http.StatusOK, html, x.document(60, "/a", "/b"))
}

// mazeSize is what honest parts of mazes have, in pages.
const mazeSize = 50

// addMazes adds the sites without end.
func (f *Farm) addMazes() {
	for i, site := range mazes.All(f.cfg.Seed, mazeSize) {
		host := f.at(fmt.Sprintf("maze-%02d", i))
		if !site.Trap {
			continue
		}
		f.add(host, func(x *exchange) {
			if !x.forbidden(forbidding) {
				a := site.Get(host, x.RequestURI)
				x.answer(a.Status, html, string(a.Body))
			}
		})
	}
}

// secured speaks TLS with a certificate that nobody vouches for.
func secured(l net.Listener) (net.Listener, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return l, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"*." + domain},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return l, err
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}), nil
}
