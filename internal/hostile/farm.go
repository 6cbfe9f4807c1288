// Package hostile is a farm of misbehaving hosts among honest ones, on loopback, for a
// soak: a crawl of everything at once that a server can do to a crawler.
//
// The honest hosts share one generated site (package bigsite), and All says what a crawl
// must have of it. The others break HTTP, stall, redirect without end, throttle, send
// bombs, hide behind an unreadable robots.txt or a worthless certificate, or do not
// listen at all: hosts.go and acts.go list them. What each does at a moment follows from
// the seed, the URL and how often it was asked for, so two farms of one Config are the
// same, but for the ports.
//
// The farm remembers every request (Hits), four hundred bytes a URL, and what no crawler
// may do (Violations). An answer takes at most maxAnswer, and there is one goroutine a
// connection.
package hostile

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"crawler/internal/bigsite"
)

// Config says how large a farm is. The zero value of a number stands for what its comment
// says.
type Config struct {
	Seed    uint64
	Last    time.Duration // how long a polite crawl has work, about; 10 s
	Delay   time.Duration // which the crawl keeps between two requests to a host; 500 ms
	Timeout time.Duration // after which the crawl gives up a page; 2 s
	Honest  int           // hosts that behave; 20
	Chains  int           // hosts of pages with one act each; 24
	Dead    int           // hosts that nobody listens for; 1,000
	Links   int           // of a page with too many; 100,000
}

func (c *Config) setDefaults() {
	c.Last, c.Delay, c.Timeout = or(c.Last, 10*time.Second), or(c.Delay, 500*time.Millisecond), or(c.Timeout, 2*time.Second)
	c.Honest, c.Chains, c.Dead, c.Links = or(c.Honest, 20), or(c.Chains, 24), or(c.Dead, 1000), or(c.Links, 100_000)
}

func or[T int | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// share is how much of Config.Last the honest hosts have work for. The rest is for what
// a busy machine adds.
const share = 0.8

// HonestPages is the number of pages of an honest host.
func (c Config) HonestPages() int {
	c.setDefaults()
	return max(2, int(share*float64(c.Last)/float64(c.Delay)))
}

// Farm serves its hosts from Open to Close.
type Farm struct {
	cfg    Config
	honest *bigsite.Site
	hosts  map[string]host // by name and port; not written after Open
	seeds  []string
	bombs  bombs

	plain, secure, inside net.Listener
	taken                 [2]net.Conn // a connection's ends; the dead have the first one's port
	done                  chan struct{}
	serving               sync.WaitGroup
	served                atomic.Int64 // answers of honest hosts

	mu         sync.Mutex
	closed     bool                  // guarded by mu
	conns      map[net.Conn]struct{} // guarded by mu
	log        map[string]*Hits      // guarded by mu; by URL
	paces      map[string]*Pace      // guarded by mu; by host
	violations []string              // guarded by mu
}

// host answers what it is asked. It runs in the connection's goroutine.
type host func(x *exchange)

// Open starts a farm.
func Open(cfg Config) (*Farm, error) {
	cfg.setDefaults()
	f := &Farm{cfg: cfg, hosts: map[string]host{}, done: make(chan struct{}), conns: map[net.Conn]struct{}{}, log: map[string]*Hits{}, paces: map[string]*Pace{}}
	if err := f.listen(); err != nil {
		f.Close()
		return nil, fmt.Errorf("hostile: %w", err)
	}
	var err error
	if f.bombs, err = newBombs(); err == nil {
		err = f.addHosts()
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("hostile: %w", err)
	}
	f.serving.Go(func() { f.accept(f.plain, f.serve) })
	f.serving.Go(func() { f.accept(f.secure, f.serve) })
	f.serving.Go(func() { f.accept(f.inside, f.trespass) })
	return f, nil
}

// listen opens the ports. Nobody can listen on the local port of a connection, so that
// of one to ourselves is where the dead are.
func (f *Farm) listen() (err error) {
	for _, l := range []*net.Listener{&f.plain, &f.secure, &f.inside} {
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
	}
	if f.taken[0], err = net.Dial("tcp", f.inside.Addr().String()); err != nil {
		return err
	}
	if f.taken[1], err = f.inside.Accept(); err != nil {
		return err
	}
	f.secure, err = secured(f.secure)
	return err
}

// addHosts makes the hosts.
func (f *Farm) addHosts() error {
	names := make([]string, f.cfg.Honest)
	for i := range names {
		names[i] = f.at(fmt.Sprintf("honest-%02d", i))
	}
	var err error
	f.honest, err = bigsite.New(bigsite.Config{Seed: f.cfg.Seed, Docs: 4 << 10, Links: 8, Hosts: names, Pages: f.cfg.Honest * f.cfg.HonestPages()})
	if err != nil {
		return err
	}
	for _, name := range names {
		f.add(name, f.honestly)
	}
	f.addChains()
	f.addTroubled()
	f.addRobots()
	f.addMazes()
	for i := range certificates {
		f.seeds = append(f.seeds, fmt.Sprintf("https://tls-%02d.%s:%d/", i, domain, port(f.secure.Addr())))
	}
	for i := range f.cfg.Dead {
		f.seeds = append(f.seeds, fmt.Sprintf("http://dead-%04d.%s:%d/", i, domain, port(f.taken[0].LocalAddr())))
	}
	f.random("seeds").Shuffle(len(f.seeds), func(i, j int) { f.seeds[i], f.seeds[j] = f.seeds[j], f.seeds[i] })
	return nil
}

const (
	domain       = "farm.test" // reserved (RFC 6761)
	certificates = 4           // hosts whose certificate nobody vouches for
)

// at is a name of the farm with the port of HTTP.
func (f *Farm) at(name string) string {
	return net.JoinHostPort(name+"."+domain, strconv.Itoa(port(f.plain.Addr())))
}

// add makes a host of a name with its port, whose "/" is a seed.
func (f *Farm) add(name string, h host) {
	f.hosts[name] = h
	f.seeds = append(f.seeds, "http://"+name+"/")
}

func port(a net.Addr) int { return a.(*net.TCPAddr).Port }

// random returns the generator of a purpose: the same one every time.
func (f *Farm) random(purpose string) *rand.Rand { return random(f.cfg.Seed, purpose) }

// Seeds returns the URLs a crawl begins with, one a host.
func (f *Farm) Seeds() []string { return f.seeds }

// Resolve returns what makes a crawler find the farm: HOST:PORT:ADDRESS, as in curl's
// --resolve.
func (f *Farm) Resolve() []string {
	var all []string
	for _, a := range []net.Addr{f.plain.Addr(), f.secure.Addr(), f.taken[0].LocalAddr()} {
		all = append(all, fmt.Sprintf("*:%d:127.0.0.1", port(a)))
	}
	return all
}

// Within matches the URLs of the farm. It names others, too, and a crawl must leave them
// out, or it would ask the name servers of the world for them.
const Within = `^https?://([^/:]+\.farm\.test|127\.0\.0\.1):[0-9]+/`

// All lists the pages of the honest hosts: what a crawl must fetch once each. It comes
// from the generator and does not ask what was fetched.
func (f *Farm) All() iter.Seq2[string, int] { return f.honest.All() }

// Body returns what an honest host answers at a URL of All.
func (f *Farm) Body(url string) []byte { return f.render(url) }

// Served returns how many answers honest hosts have given so far, robots.txt not among
// them.
func (f *Farm) Served() int { return int(f.served.Load()) }

// Close ends all answers under way, and returns when the farm's goroutines have ended.
func (f *Farm) Close() error {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil
	}
	f.closed = true
	close(f.done)
	for c := range f.conns {
		c.Close()
	}
	f.mu.Unlock()
	var errs []error
	for _, l := range []net.Listener{f.plain, f.secure, f.inside} {
		if l != nil {
			errs = append(errs, l.Close())
		}
	}
	for _, c := range f.taken {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	f.serving.Wait()
	return errors.Join(errs...)
}
