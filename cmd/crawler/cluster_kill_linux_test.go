package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crawler/internal/crawltest"
	"crawler/report"
)

// Limits of the harness.
const (
	longestCluster = 2 * time.Minute // that a node may live
	// clockSlack is how exactly the kernel knows when a request came: to one or two of its ticks.
	clockSlack = 10 * time.Millisecond
	partition  = 6 * time.Second // longer than any lease here
	inWork     = 64              // pages that a node fetches at the same time, by default
	underWay   = 10              // pages that a node has asked for before it is killed, at least
)

// clusterCase is what happens to a crawl on several nodes, and what it may cost.
type clusterCase struct {
	name    string
	setup   func(*clusterSetup)          // nil: as it is
	trouble func(c *clusterRun, all int) // all: URLs that the crawl asks for
	again   float64                      // percent of the pages that may be asked again
	budget  int                          // pages there must be; 0: those of one machine
	hosts   bool                         // the hosts of dead nodes must go on in time
}

// clusterCases are those of CLUSTER_KILL=1; the first that kills is that of every test run.
func clusterCases() []clusterCase {
	at := func(c *clusterRun, all, percent int) { c.await(c.web.reached(all * percent / 100)) }
	// On a busy machine the others may have come that far before a node has begun.
	killed := func(c *clusterRun, all int, nodes ...*node) {
		at(c, all, 30)
		for _, n := range nodes {
			c.await(c.web.sent(n.name, underWay))
		}
		c.kills(nodes...)
	}
	kill := func(c *clusterRun, all int) { killed(c, all, c.nodes[1]) }
	shared := func(s *clusterSetup) { s.shared = true }
	external := func(s *clusterSetup) { s.shared, s.external = true, true }
	return []clusterCase{
		{name: "nothing", trouble: func(*clusterRun, int) {}},
		{name: "kill -9", setup: shared, trouble: kill, again: 1, hosts: true},
		{name: "kill -9, disk lost", again: 100,
			setup: func(s *clusterSetup) { s.args = append(s.args, "--checkpoint-every", "5s") },
			trouble: func(c *clusterRun, all int) {
				at(c, all, 50)
				c.kills(c.nodes[1])
				if err := os.RemoveAll(c.nodes[1].dir); err != nil {
					c.Error(err)
				}
			}},
		{name: "partition 6 s", trouble: func(c *clusterRun, all int) {
			w := newWire(c.T, strings.TrimPrefix(c.broker, "nats://"))
			c.join("nats://" + w.l.Addr().String())
			at(c, all, 30)
			w.breakFor(partition)
		}, setup: func(s *clusterSetup) { s.shared, s.nodes = true, s.nodes-1 }},
		{name: "broker killed and restarted", setup: external, trouble: func(c *clusterRun, all int) {
			at(c, all, 30)
			c.own.kill()
			c.startBroker()
		}},
		{name: "SIGSTOP 6 s", setup: shared, trouble: func(c *clusterRun, all int) {
			at(c, all, 30)
			c.signal(c.nodes[1], syscall.SIGSTOP)
			<-time.After(partition)
			c.signal(c.nodes[1], syscall.SIGCONT)
		}},
		{name: "a node joins", trouble: func(c *clusterRun, all int) { at(c, all, 30); c.join("") },
			setup: func(s *clusterSetup) { s.shared = true; s.nodes-- }},
		{name: "a node leaves", setup: shared, trouble: func(c *clusterRun, all int) {
			at(c, all, 30)
			c.signal(c.nodes[1], syscall.SIGTERM)
			<-c.nodes[1].ended
		}},
		{name: "slow disk", setup: func(s *clusterSetup) { s.slow = true }, trouble: func(*clusterRun, int) {}},
		{name: "two nodes killed at once", setup: external, again: 2, hosts: true,
			trouble: func(c *clusterRun, all int) { killed(c, all, c.nodes[1], c.nodes[2]) }},
		{name: "broker's node killed, three brokers", setup: func(s *clusterSetup) { s.three = true }, again: 1, hosts: true,
			trouble: func(c *clusterRun, all int) { killed(c, all, c.nodes[0]) }},
		{name: "--max-pages, with kills", budget: 5000, again: 1,
			setup: func(s *clusterSetup) { s.shared = true; s.args = append(s.args, "--max-pages", "5000") },
			trouble: func(c *clusterRun, all int) {
				at(c, all, 8)
				c.kills(c.nodes[1])
				c.join("")
				at(c, all, 16)
				c.kills(c.nodes[2])
			}},
	}
}

// TestClusterKill has nodes of a cluster killed, cut off, stopped, added and taken away while
// they crawl, and holds what all of them have recorded against a crawl on one machine: nothing
// lost, nothing twice. By the web's clock it says how often pages were asked again, after how
// long a dead node's hosts went on, and whether a host was asked too soon. With CLUSTER_KILL=1
// (make cluster-kill) in full, where CLUSTER_CASES chooses by a part of the name; else one kill
// of two nodes, small.
func TestClusterKill(t *testing.T) {
	t.Parallel()
	full := os.Getenv("CLUSTER_KILL") != ""
	setup := clusterSetup{nodes: 2, shards: 4, lease: 2 * time.Second, delay: 100 * time.Millisecond, patience: 10 * time.Second, args: []string{"--checkpoint-every", "0"}}
	hosts, pages, bin := 40, 800, "crawler"
	if full {
		setup = clusterSetup{nodes: 3, shards: 8, lease: 2 * time.Second, delay: 400 * time.Millisecond}
		hosts, pages, bin = 600, envNumber(t, "CLUSTER_PAGES", 20_000), shipped(t)
	} else if testing.Short() {
		t.Skip("the same crawl as without -short")
	}
	web := newClusterWeb(t, hosts, pages)
	alone := aloneOn(t, bin, web, setup.delay)
	t.Logf("one machine: %d pages, %d skipped, %d redirects in %.1f s; %d gaps too short, the least %d ms",
		len(alone.pages), len(alone.skipped), len(alone.hops), alone.took.Seconds(), alone.short, alone.least.Milliseconds())
	t.Log(clusterHead)
	for _, cc := range clusterCases() {
		if full && !strings.Contains(cc.name, os.Getenv("CLUSTER_CASES")) || !full && cc.name != "kill -9" {
			continue
		}
		t.Run(cc.name, func(t *testing.T) { runClusterCase(t, bin, web, setup, cc, alone) })
	}
}

// clusterAlone is what one machine found.
type clusterAlone struct {
	found
	asked int
	took  time.Duration
	short int
	least time.Duration
}

func aloneOn(t *testing.T, bin string, web *clusterWeb, delay time.Duration) (a clusterAlone) {
	t.Helper()
	home := t.TempDir()
	list, dir := filepath.Join(home, "seeds"), filepath.Join(home, "alone")
	if err := os.WriteFile(list, []byte(strings.Join(web.seeds(), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	web.begin()
	began := time.Now()
	startFor(t, longestCluster, bin, "crawl", "--seeds", list, "-o", dir, "--delay", delay.String(), "--resolve", "*:"+web.port+":127.0.0.1", "--quiet").succeed(t)
	a.took = time.Since(began)
	log := web.taken()
	a.asked = len(log.asked)
	a.short, a.least, _ = log.gaps(delay, clockSlack)
	if a.found = (&clusterRun{T: t}).read([]string{dir}); a.twice > 0 || len(a.pages) < web.pages {
		t.Fatalf("one machine recorded %d pages of %d, %d twice", len(a.pages), web.pages, a.twice)
	}
	return a
}

const clusterHead = "| case | pages lost | invented | skipped | redirects | links | twice | asked again | hosts go on, s | gaps too short, least | s |"

func runClusterCase(t *testing.T, bin string, web *clusterWeb, setup clusterSetup, cc clusterCase, alone clusterAlone) {
	if cc.setup != nil {
		setup.args = slices.Clone(setup.args)
		cc.setup(&setup)
	}
	c := &clusterRun{T: t, bin: bin, web: web, setup: setup, home: t.TempDir()}
	if setup.slow && !c.slowly() {
		t.Skip("strace, which makes fsync slow, is not there or may not trace")
	}
	web.begin()
	began := time.Now()
	listen := freePorts(t, 1)[0]
	if setup.external {
		c.broker = "nats://" + listen
		c.startBroker()
	}
	c.start(listen)
	for range setup.nodes - 1 {
		c.join("")
	}
	if setup.three {
		c.begun()
	}
	cc.trouble(c, alone.asked)
	c.finish()
	took := time.Since(began)
	c.judge(cc, alone, web.taken(), took)
}

// await waits for a moment of the crawl, or until no node is left that could reach it.
func (c *clusterRun) await(reached <-chan struct{}) {
	select {
	case <-reached:
	case <-c.nodes[0].ended:
		c.Fatalf("the first node has ended\n%s", c.said())
	case <-time.After(longestCluster):
		c.Fatal("the crawl did not come so far")
	}
}

func (c *clusterRun) signal(n *node, s syscall.Signal) {
	if err := n.Process.Signal(s); err != nil {
		c.Errorf("node %s: %v: %v", n.name, s, err)
	}
}

// judge holds what was found against what one machine finds, and prints the case's row.
func (c *clusterRun) judge(cc clusterCase, alone clusterAlone, log *arrivals, took time.Duration) {
	got := c.read(c.shards())
	again, examples := log.twice()
	short, least, where := log.gaps(c.setup.delay, clockSlack)
	dead := map[string]bool{}
	for _, name := range c.dead {
		dead[name] = true
	}
	first, last, hosts := log.goOn(dead, c.died)
	lost, invented := apart(got.pages, alone.pages)
	row := []string{
		cc.name, fmt.Sprint(len(lost)), fmt.Sprint(len(invented)), changes(got.skipped, alone.skipped), changes(got.hops, alone.hops),
		changes(got.links, alone.links), fmt.Sprint(got.twice), fmt.Sprintf("%d (%.2f %%)", again, 100*float64(again)/float64(len(alone.pages))),
		fmt.Sprintf("%.1f to %.1f (%d)", first.Seconds(), last.Seconds(), hosts), fmt.Sprintf("%d, %d ms", short, least.Milliseconds()), fmt.Sprintf("%.1f", took.Seconds()),
	}
	c.Log("| " + strings.Join(row, " | ") + " |")
	miss := func(is bool, format string, args ...any) {
		if is {
			c.Errorf("missed: "+format, args...)
		}
	}
	if cc.budget > 0 {
		miss(len(got.pages) != cc.budget, "%d pages, want exactly %d", len(got.pages), cc.budget)
	} else {
		miss(len(lost)+len(invented) > 0, "%d pages lost, %d invented, such as %v %v", len(lost), len(invented), few(lost), few(invented))
		for what, d := range map[string][]string{"skipped": differing(got.skipped, alone.skipped), "redirects": differing(got.hops, alone.hops), "links": differing(got.links, alone.links)} {
			miss(len(d) > 0, "%d %s differ, such as %v", len(d), what, few(d))
		}
	}
	miss(got.twice > 0, "%d records are there twice, such as %v", got.twice, few(got.examples))
	most := cc.again * float64(len(alone.pages)) / 100
	if cc.again > 0 { // of a small crawl what was under way is more
		most = max(most, inWork)
	}
	miss(float64(again) > most, "%d pages asked again, such as %v", again, examples)
	miss(short > 0, "%d requests came less than %v after the one before, the least %v: %s; killed at %v", short, c.setup.delay, least, where, c.died)
	// A host waits its delay after it was opened again.
	limit := c.setup.patience + c.setup.lease + time.Second + c.setup.delay
	miss(cc.hosts && (hosts == 0 || last > limit), "%d hosts of dead nodes went on after up to %v, want %v", hosts, last, limit)
	c.checkReport(len(got.pages))
}

// checkReport asks for the report of all shards, which must agree with the records.
func (c *clusterRun) checkReport(pages int) {
	args := append([]string{"cluster", "report", "--json"}, c.dirs()...)
	out, err := crawltest.Tie(exec.Command(c.bin, args...)).Output()
	var rep report.Report
	if err == nil {
		err = json.Unmarshal(out, &rep)
	}
	if err != nil || rep.Pages.Fetched != pages {
		c.Errorf("crawler %s: %v: %d pages, %d are recorded", strings.Join(args, " "), err, rep.Pages.Fetched, pages)
	}
}

// apart returns which keys are missing, and which are there that should not be, or have another
// value.
func apart[V comparable](got, want map[string]V) (lost, invented []string) {
	for key, w := range want {
		if g, ok := got[key]; !ok {
			lost = append(lost, key)
		} else if g != w {
			invented = append(invented, fmt.Sprintf("%s %v for %v", key, g, w))
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			invented = append(invented, key)
		}
	}
	slices.Sort(lost)
	slices.Sort(invented)
	return lost, invented
}

func differing[V comparable](got, want map[string]V) []string {
	lost, invented := apart(got, want)
	return append(lost, invented...)
}

func changes[V comparable](got, want map[string]V) string {
	return fmt.Sprint(len(differing(got, want)))
}

func few(list []string) []string { return list[:min(3, len(list))] }
