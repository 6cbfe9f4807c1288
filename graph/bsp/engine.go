package bsp

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// Program is what each vertex does. What it keeps of a vertex is written by that
// vertex's Compute and Commit only. [Vertices] is one for values and messages of any type.
type Program interface {
	// Compute is called for all vertices in superstep 0, when nobody has spoken yet,
	// and then for those that stay or hear something. The vertices in from are those
	// of v's list that spoke in the last superstep, in the order of the list. It reads
	// what they said then, and keeps apart what v says now.
	Compute(v int, from []uint32, t *Turn) Vote

	// Commit makes what v says known to its listeners. It is called for the vertices
	// that voted Speak, when all have computed.
	Commit(v int)

	// Barrier is called at the end of each superstep, when nothing else runs. The run
	// ends when it returns true.
	Barrier(s Superstep) (end bool)
}

// Vote is what a vertex wants after computing. The zero Vote is to sleep until it
// hears something.
type Vote uint8

// A vertex may vote both.
const (
	Speak Vote = 1 << iota // wake those who listen
	Stay                   // compute in the next superstep, heard or not
)

// Turn is the superstep as a vertex sees it. What vertices add to Sum comes to
// Barrier as the sum over all of them, in an order that does not depend on the workers.
type Turn struct {
	Superstep int
	Sum       [2]float64
}

// Superstep counts what happened in one.
type Superstep struct {
	Number   int
	Active   int           // vertices that computed
	Spoke    int           // those that spoke
	Stayed   int           // those that stay
	Messages int64         // messages heard
	Sum      [2]float64    // the sums of Turn
	Sparse   bool          // only the lists of speakers were read
	Wall     time.Duration // how long it took
}

// Config says how to run. The zero Config uses all cores and no limit but the graph's.
type Config struct {
	// Workers is the number of goroutines; 0 is one for each core.
	Workers int

	// Limit is the number of supersteps after which Run gives up with ErrLimit. 0 is
	// two more than there are nodes: a message that is only passed on has arrived by then.
	Limit int

	// Listeners is the transpose of the graph that is run on, or nil. With it, a
	// superstep after which fewer than one vertex in 64 spoke reads their lists there
	// and not the whole graph.
	Listeners Graph

	// Watch is called after each superstep, if it is not nil.
	Watch func(Superstep)
}

// ErrLimit is in the error of a run that was not over after Config.Limit supersteps.
// What the program holds then is what it had reached.
var ErrLimit = errors.New("limit of supersteps reached")

// Summary is what a whole run did.
type Summary struct {
	Supersteps int           `json:"supersteps"`
	Messages   int64         `json:"messages"`
	Wall       time.Duration `json:"wall_ns"`
}

func (s *Summary) add(o Summary) {
	s.Supersteps += o.Supersteps
	s.Messages += o.Messages
	s.Wall += o.Wall
}

// Run runs p on the vertices of g, each listening to those in its list, until all
// sleep, p ends it, ctx is done, a scan fails or the limit is reached.
func Run(ctx context.Context, c Config, g Graph, p Program) (Summary, error) {
	c = c.orDefault(g)
	e := newEngine(c, g, p)
	var sum Summary
	for start := time.Now(); ; {
		if sum.Supersteps == c.Limit {
			return sum, fmt.Errorf("%w: %d; raise Config.Limit", ErrLimit, c.Limit)
		}
		s, err := e.superstep(ctx, sum.Supersteps)
		if err != nil {
			return sum, fmt.Errorf("superstep %d: %w", sum.Supersteps, err)
		}
		sum.Supersteps++
		sum.Messages += s.Messages
		sum.Wall = time.Since(start)
		if c.Watch != nil {
			c.Watch(s)
		}
		if p.Barrier(s) || s.Spoke+s.Stayed == 0 {
			return sum, nil
		}
	}
}

func (c Config) orDefault(g Graph) Config {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Limit <= 0 {
		c.Limit = g.Nodes() + 2
	}
	return c
}

// engine is the state of a run, owned by the goroutine of Run between the phases of a
// superstep. In a phase each worker owns the words of the bitmaps that stand for its
// block, and its own part.
type engine struct {
	Config
	g    Graph
	p    Program
	n    int
	most int // pairs in a sparse superstep

	heard, said    bitmap // who spoke in the last superstep, and in this
	awake, staying bitmap // who stayed after the last, and stays after this
	spoke, stayed  int    // the numbers of the last

	speakers []uint32 // those of heard, if they are few enough for a sparse superstep
	pairs    []uint64 // of a sparse superstep: listener and speaker
	from     []uint32 // of a sparse superstep: those whom one listener hears
	parts    []part   // one a block
}

// part is what a block adds to the superstep.
type part struct {
	turn                  Turn
	active, spoke, stayed int
	messages              int64
	_                     [64]byte // no cache line is shared
}

func newEngine(c Config, g Graph, p Program) *engine {
	n := g.Nodes()
	e := &engine{Config: c, g: g, p: p, n: n, most: int(g.Edges() / few),
		heard: newBitmap(n), said: newBitmap(n), awake: newBitmap(n), staying: newBitmap(n),
		parts: make([]part, (n+block-1)/block), stayed: n}
	for v := range n {
		e.awake.set(v)
	}
	return e
}

// superstep runs one: all compute, then all that spoke commit.
func (e *engine) superstep(ctx context.Context, number int) (Superstep, error) {
	start := time.Now()
	s := Superstep{Number: number}
	sparse, err := e.gather(ctx)
	switch {
	case err != nil:
		return s, err
	case sparse:
		e.sparse(&s)
	default:
		err = e.dense(ctx, &s)
	}
	e.spoke, e.stayed = s.Spoke, s.Stayed
	s.Wall = time.Since(start)
	return s, err
}
