package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"crawler/gate"
	"crawler/internal/crawltest"
	"crawler/report"
	"crawler/report/shards"
)

// wire is a TCP proxy to a broker. While it is cut, bytes vanish and connections stay open, as
// when a switch dies; then the connections that lost some break.
type wire struct {
	l  net.Listener
	to string

	mu  sync.Mutex
	cut chan struct{} // guarded by mu; closed when the wire is whole again; nil while it is
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{l: l, to: to}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(a)
		}
	}()
	return w
}

func (w *wire) carry(a net.Conn) {
	defer a.Close()
	if whole := w.broken(); whole != nil {
		<-whole
	}
	b, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer b.Close()
	go w.pump(a, b)
	w.pump(b, a)
}

// pump copies until either end closes, or until bytes were lost.
func (w *wire) pump(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if whole := w.broken(); whole != nil {
			<-whole
			return
		}
		if _, failed := to.Write(buf[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (w *wire) broken() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cut
}

// breakFor cuts the wire for some time.
func (w *wire) breakFor(d time.Duration) {
	cut := make(chan struct{})
	w.mu.Lock()
	w.cut = cut
	w.mu.Unlock()
	<-time.After(d)
	w.mu.Lock()
	w.cut = nil
	w.mu.Unlock()
	close(cut)
}

// freePorts returns so many ports of loopback that nobody listens on.
func freePorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().String())
	}
	return ports
}

// clusterRun is one crawl of a clusterWeb by several nodes.
type clusterRun struct {
	*testing.T
	bin    string
	web    *clusterWeb
	setup  clusterSetup
	home   string   // for directories
	broker string   // its URL, as nodes are to be given it
	own    *process // the broker, if it is a process of its own
	peers  []string // with three brokers: where these find each other
	listen []string // and where nodes find them
	nodes  []*node  // in the order in which they began
	dead   []string // names of nodes that were killed
	died   time.Time
}

// clusterSetup is what a crawl is begun with.
type clusterSetup struct {
	nodes, shards int
	lease, delay  time.Duration
	patience      time.Duration // with a machine that is busy with other tests
	shared        bool          // all nodes have one directory
	external      bool          // the broker is a process of its own
	three         bool          // each of three nodes has a broker
	slow          bool          // the second node's disk takes 50 ms for each sync
	args          []string      // of cluster start
}

// node is a process with a part of the crawl.
type node struct {
	*process
	name, dir string
}

// access are the flags that each node has from its own command line.
func (c *clusterRun) access(name string) []string {
	return []string{"--resolve", "*:" + c.web.port + ":127.0.0.1", "--header", nodeHeader + ": " + name}
}

// start begins the crawl by its first node.
func (c *clusterRun) start(listen string) *node {
	c.Helper()
	seeds := filepath.Join(c.home, "seeds")
	if err := os.WriteFile(seeds, []byte(strings.Join(c.web.seeds(), "\n")), 0o600); err != nil {
		c.Fatal(err)
	}
	n := &node{name: "1", dir: filepath.Join(c.home, "1")}
	args := []string{"cluster", "start", n.dir, "--seeds", seeds, "--shards", fmt.Sprint(c.setup.shards), "--lease", c.setup.lease.String(), "--delay", c.setup.delay.String()}
	if c.setup.external {
		args = append(args, "--broker", c.broker)
	} else if c.setup.three {
		c.peers, c.listen = freePorts(c.T, 3), freePorts(c.T, 3)
		c.broker = "nats://" + strings.Join(c.listen, ",nats://")
		args = append(args, c.peer(0)...)
	} else {
		args = append(args, "--listen", listen)
		c.broker = "nats://" + listen
	}
	args = append(append(args, c.setup.args...), c.access(n.name)...)
	n.process = startFor(c.T, longestCluster, c.bin, args...)
	c.nodes = append(c.nodes, n)
	if !c.setup.three { // it waits for the others
		c.begun()
	}
	return n
}

// peer are the flags of one of three brokers, which names itself first.
func (c *clusterRun) peer(i int) []string {
	all := append([]string{c.peers[i]}, c.peers[:i]...)
	return []string{"--listen", c.listen[i], "--peers", strings.Join(append(all, c.peers[i+1:]...), ",")}
}

// begun waits until others can join.
func (c *clusterRun) begun() {
	c.Helper()
	c.answers(c.broker)
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); <-time.After(50 * time.Millisecond) {
		if crawltest.Tie(exec.Command(c.bin, "cluster", "status", c.broker)).Run() == nil {
			return
		}
	}
	c.Fatalf("the crawl did not begin\n%s", c.said())
}

// join adds a node, by way of another address than the broker's if that is not empty.
func (c *clusterRun) join(by string) *node {
	c.Helper()
	name := fmt.Sprint(len(c.nodes) + 1)
	n := &node{name: name, dir: filepath.Join(c.home, name)}
	if c.setup.shared {
		n.dir = filepath.Join(c.home, "1")
	}
	if by == "" {
		by = c.broker
	}
	args := append([]string{"cluster", "join", n.dir, by}, c.access(name)...)
	if c.setup.three {
		args = append(args, c.peer(len(c.nodes))...)
	}
	if c.setup.slow && len(c.nodes) == 1 {
		n.process = startFor(c.T, longestCluster, "strace", append(slowSyncs(c.bin), args...)...)
	} else {
		n.process = startFor(c.T, longestCluster, c.bin, args...)
	}
	c.nodes = append(c.nodes, n)
	return n
}

// startBroker starts a broker as a process of its own; its streams survive it.
func (c *clusterRun) startBroker() {
	c.Helper()
	c.own = startFor(c.T, longestCluster, "broker", filepath.Join(c.home, "broker"), strings.TrimPrefix(c.broker, "nats://"))
	c.answers(c.broker)
}

// answers waits until somebody listens at an address.
func (c *clusterRun) answers(address string) {
	c.Helper()
	address, _, _ = strings.Cut(address, ",")
	u, err := url.Parse(address)
	if err != nil {
		c.Fatal(err)
	}
	for until := time.Now().Add(30 * time.Second); time.Now().Before(until); <-time.After(20 * time.Millisecond) {
		if conn, err := net.Dial("tcp", u.Host); err == nil {
			conn.Close()
			return
		}
	}
	c.Fatalf("nobody answers at %s\n%s", address, c.said())
}

// said is what the nodes that have ended printed.
func (c *clusterRun) said() string {
	var b strings.Builder
	for _, n := range c.nodes {
		select {
		case <-n.ended:
			fmt.Fprintf(&b, "node %s: %v\n%s\n", n.name, n.ProcessState, n.out.String())
		default:
		}
	}
	return b.String()
}

// kills kills nodes with SIGKILL at once, and notes when.
func (c *clusterRun) kills(nodes ...*node) {
	for _, n := range nodes {
		crawltest.Kill(n.Cmd)
		c.dead = append(c.dead, n.name)
	}
	c.died = time.Now()
	for _, n := range nodes {
		<-n.ended
	}
}

// finish waits for the end of all nodes that were not killed.
func (c *clusterRun) finish() {
	c.Helper()
	for _, n := range c.nodes {
		<-n.ended
		killed := false
		for _, d := range c.dead {
			killed = killed || d == n.name
		}
		if !killed && !n.ProcessState.Success() {
			c.Errorf("node %s: %v\n%s", n.name, n.ProcessState, headTail(n.out.String()))
		}
	}
}

// headTail is the beginning and the end of what a node printed, which may be all its goroutines.
func headTail(s string) string {
	if len(s) <= 6000 {
		return s
	}
	return s[:5000] + "\n...\n" + s[len(s)-1000:]
}

// dirs are the directories of all nodes, each once.
func (c *clusterRun) dirs() (dirs []string) {
	met := map[string]bool{}
	for _, n := range c.nodes {
		if _, err := os.Stat(n.dir); err == nil && !met[n.dir] {
			met[n.dir] = true
			dirs = append(dirs, n.dir)
		}
	}
	return dirs
}

// found is what a crawl has recorded, in all its shards.
type found struct {
	outcome
	twice    int // records of a URL that has one already
	examples []string
}

// read reads the records of some crawl directories.
func (c *clusterRun) read(dirs []string) (f found) {
	f.outcome = outcome{pages: map[string]int{}, links: map[string]int{}, hops: map[string]string{}, skipped: map[string]string{}}
	for _, dir := range dirs {
		eachLine(c.T, filepath.Join(dir, report.PagesFile), func(p report.PageRecord) { once(&f, f.pages, p.URL, p.Status) })
		eachLine(c.T, filepath.Join(dir, report.RedirectsFile), func(r report.RedirectRecord) { once(&f, f.hops, r.URL, r.Target) })
		eachLine(c.T, filepath.Join(dir, report.SkippedFile), func(s gate.Skip) { once(&f, f.skipped, s.URL, string(s.Reason)) })
		err := report.ReadLinks(dir, func(p *report.PageLinks) error {
			n := 0
			for p.Next() {
				n++
			}
			once(&f, f.links, string(p.URL), n)
			return nil
		})
		if err != nil {
			c.Error(err)
		}
	}
	return f
}

// once notes a record, which must be the only one of its URL.
func once[V any](f *found, m map[string]V, url string, v V) {
	if _, there := m[url]; there {
		f.twice++
		f.examples = append(f.examples, url)
	}
	m[url] = v
}

// shards returns the directories of the shards, each of which some node must have.
func (c *clusterRun) shards() []string {
	c.Helper()
	set, err := shards.Find(c.dirs()...)
	if err != nil {
		c.Fatalf("%v\n%s", err, c.said())
	}
	return set.Dirs()
}

// slowSyncs is how strace runs a program whose syncs take 50 ms longer; other calls are not
// slowed.
func slowSyncs(bin string) []string {
	return []string{"-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:delay_enter=50000", bin}
}

// slowly reports whether that works here.
func (c *clusterRun) slowly() bool {
	return exec.Command("strace", append(slowSyncs(c.bin), "version")...).Run() == nil
}
