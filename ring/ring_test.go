package ring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"crawler/internal/splitmix"
)

func nodesOf(n int) (list []Node) {
	for i := range n {
		list = append(list, Node(splitmix.Finish(uint64(i)+1000)))
	}
	return list
}

// A quarter circle is 1<<62. Items go to the first machine at or behind them, and around.
func TestRingGolden(t *testing.T) {
	const q = 1 << 60 // a sixteenth
	r := At([]Point{{12 * q, 1}, {2 * q, 0}, {6 * q, 2}})
	for _, c := range []struct {
		at   uint64
		want int
	}{
		{0, 0}, {1 * q, 0}, {2 * q, 0}, {2*q + 1, 2}, {5 * q, 2}, {6 * q, 2}, {7 * q, 1}, {12 * q, 1}, {12*q + 1, 0}, {15 * q, 0}, {math.MaxUint64, 0},
	} {
		if got := r.Owner(c.at); got != c.want {
			t.Errorf("%#x belongs to %d, want %d", c.at, got, c.want)
		}
	}
	if s := r.Shares(); !slices.Equal(s, []float64{6. / 16, 6. / 16, 4. / 16}) {
		t.Errorf("shares %v", s)
	}
	// Machine 2 goes down: its arc falls to the next one alone. A new one takes part of one arc.
	without := At([]Point{{12 * q, 1}, {2 * q, 0}})
	with := At([]Point{{12 * q, 1}, {2 * q, 0}, {6 * q, 2}, {9 * q, 3}})
	for at := uint64(0); at < 16; at++ {
		was, now, more := r.Owner(at*q), without.Owner(at*q), with.Owner(at*q)
		if was != 2 && now != was || was == 2 && now != 1 {
			t.Errorf("%d sixteenths: from %d to %d without machine 2", at, was, now)
		}
		if more != was && (more != 3 || was != 1) {
			t.Errorf("%d sixteenths: from %d to %d with machine 3", at, was, more)
		}
	}
	if one := At([]Point{{5, 0}}); one.Owner(0) != 0 || one.Owner(6) != 0 || one.Shares()[0] != 1 {
		t.Error("one machine does not have all")
	}
	if none := At(nil); none.Owner(7) != -1 || Rendezvous(nil, 7) != -1 {
		t.Error("there is a machine among none")
	}
	for n, want := range map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 100: 7, 1024: 10} {
		if got := LogPoints(n); got != want {
			t.Errorf("%d machines get %d points, want %d", n, got, want)
		}
	}
}

// The table finds what a search finds.
func TestOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ nodes, points int }{{1, 1}, {2, 1}, {3, 7}, {10, 100}, {100, 1024}} {
		ring := New(nodesOf(c.nodes), c.points)
		for range 2000 {
			key := r.Uint64()
			if r.IntN(4) == 0 {
				key = ring.points[r.IntN(len(ring.points))].At + uint64(r.IntN(3)) - 1
			}
			i := slices.IndexFunc(ring.points, func(p Point) bool { return p.At >= key })
			if i < 0 {
				i = 0
			}
			if got := ring.Owner(key); got != ring.points[i].Node {
				t.Fatalf("%d machines, %d points: %#x belongs to %d, want %d", c.nodes, c.points, key, got, ring.points[i].Node)
			}
		}
	}
}

// A machine that joins takes keys and moves none between others; that is so for rings and for
// rendezvous, and one that leaves gives only its own away.
func TestMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 3, 10, 30} {
		nodes := nodesOf(n + 1)
		for name, owner := range map[string]func([]Node) func(uint64) int{
			"ring":       func(list []Node) func(uint64) int { return New(list, 64).Owner },
			"rendezvous": func(list []Node) func(uint64) int { return func(k uint64) int { return Rendezvous(list, k) } },
		} {
			before, after := owner(nodes[:n]), owner(nodes)
			moved := 0
			for range 5000 {
				key := r.Uint64()
				if b, a := before(key), after(key); a != b {
					moved++
					if a != n {
						t.Fatalf("%s: a key moves from %d to %d of %d", name, b, a, n)
					}
				}
			}
			if moved == 0 {
				t.Errorf("%s: nothing moves to a new machine", name)
			}
		}
	}
}

// counts returns how many shards each machine has.
func counts(to []int, n int) []int {
	c := make([]int, n)
	for _, i := range to {
		c[i]++
	}
	return c
}

func ownersOf(to []int, nodes []Node) (owners []Node) {
	for _, i := range to {
		owners = append(owners, nodes[i])
	}
	return owners
}

// However machines come and go, the shares are even and nothing moves that need not.
func TestAssign(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	all := nodesOf(40)
	for range 200 {
		shards := []int{1, 5, 64, 256, 1000}[r.IntN(5)]
		var live []Node
		var owners []Node
		for step := range 12 {
			switch {
			case len(live) == 0 || r.IntN(2) == 0 && len(live) < len(all):
				for {
					if n := all[r.IntN(len(all))]; !slices.Contains(live, n) {
						live = append(live, n)
						break
					}
				}
			case len(live) > 1:
				live = slices.Delete(slices.Clone(live), 0, 1+r.IntN(min(3, len(live)-1)))
			}
			to := Assign(shards, live, owners)
			c := counts(to, len(live))
			if slices.Max(c)-slices.Min(c) > 1 {
				t.Fatalf("%d shards over %d: %v", shards, len(live), c)
			}
			// The order of the machines does not matter.
			shuffled := slices.Clone(live)
			r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			if !slices.Equal(ownersOf(Assign(shards, shuffled, owners), shuffled), ownersOf(to, live)) {
				t.Fatal("the order of the machines matters")
			}
			moved, kept := 0, map[Node]int{}
			for s, owner := range owners {
				if slices.Contains(live, owner) {
					kept[owner]++
				}
				if owner != live[to[s]] {
					moved++
				}
			}
			if step > 0 {
				if least := leastMoves(shards, live, kept); moved != least {
					t.Fatalf("%d shards, %d machines: %d moved, %d had to", shards, len(live), moved, least)
				}
			}
			owners = ownersOf(to, live)
			if again := Assign(shards, live, owners); !slices.Equal(again, to) {
				t.Fatal("something moves without a reason")
			}
		}
	}
	if to := Assign(3, nil, nil); !slices.Equal(to, []int{-1, -1, -1}) {
		t.Errorf("shards of nobody: %v", to)
	}
	if to := Assign(2, all[:5], []Node{77, 0, all[1]}); len(to) != 2 || slices.Contains(to, -1) {
		t.Errorf("unknown owners: %v", to)
	}
}

// leastMoves is what any balanced assignment moves: all shards less what can stay, which is the
// best over who has one more.
func leastMoves(shards int, live []Node, kept map[Node]int) int {
	var held []int
	for _, n := range live {
		held = append(held, kept[n])
	}
	slices.SortFunc(held, func(a, b int) int { return b - a })
	stay := 0
	for i, h := range held {
		room := shards / len(live)
		if i < shards%len(live) {
			room++
		}
		stay += min(h, room)
	}
	return shards - stay
}

// What is promised: at 3, 10 and 30 machines with 64, 256 and 1,024 shards, keys of 200,000
// domains: most over mean at most 1.10, and at most 1.4 times what has to move does.
func TestBalanceAndMoves(t *testing.T) {
	const domains = 200_000
	for _, c := range []struct{ nodes, shards int }{{3, 64}, {10, 256}, {30, 1024}} {
		load := make([]float64, c.shards)
		for i := range domains {
			load[Shard(splitmix.Finish(uint64(i)+9), c.shards)] += 1.0 / domains
		}
		nodes := nodesOf(c.nodes + 1)
		to := Assign(c.shards, nodes[:c.nodes], nil)
		balance := func(to []int, n int) float64 {
			sum := make([]float64, n)
			for s, i := range to {
				sum[i] += load[s]
			}
			return slices.Max(sum) * float64(n)
		}
		if b := balance(to, c.nodes); b > 1.10 {
			t.Errorf("%d machines, %d shards: most over mean %.3f", c.nodes, c.shards, b)
		}
		moved := func(from []Node, to []int, nodes []Node) (sum float64) {
			for s, i := range to {
				if nodes[i] != from[s] {
					sum += load[s]
				}
			}
			return sum
		}
		owners := ownersOf(to, nodes[:c.nodes])
		joined := Assign(c.shards, nodes, owners)
		if m, least := moved(owners, joined, nodes), 1/float64(c.nodes+1); m > 1.4*least || balance(joined, c.nodes+1) > 1.10 {
			t.Errorf("one joins %d: %.3f move, least %.3f; most over mean %.3f", c.nodes, m, least, balance(joined, c.nodes+1))
		}
		for gone := range c.nodes {
			rest := slices.Delete(slices.Clone(nodes[:c.nodes]), gone, gone+1)
			left := Assign(c.shards, rest, owners)
			if m, least := moved(owners, left, rest), 1/float64(c.nodes); m > 1.4*least || balance(left, c.nodes-1) > 1.10 {
				t.Errorf("%d of %d leaves: %.3f move, least %.3f; most over mean %.3f", gone, c.nodes, m, least, balance(left, c.nodes-1))
			}
		}
	}
}

func Example() {
	nodes := []Node{1001, 1002, 1003} // hashes of their names
	owners := Assign(8, nodes, nil)
	fmt.Println(owners)
	// Machine 1002 is gone: its shards move, the others stay.
	now := make([]Node, len(owners))
	for s, i := range owners {
		now[s] = nodes[i]
	}
	fmt.Println(Assign(8, []Node{1001, 1003}, now))
	// Output:
	// [2 0 2 1 1 1 2 0]
	// [1 0 1 0 1 0 1 0]
}

func BenchmarkOwner(b *testing.B) {
	for _, points := range []int{1, 1024} {
		r := New(nodesOf(30), points)
		b.Run(fmt.Sprintf("30x%d", points), func(b *testing.B) {
			key := uint64(0)
			for b.Loop() {
				key += splitmix.Golden
				r.Owner(key)
			}
		})
	}
}
