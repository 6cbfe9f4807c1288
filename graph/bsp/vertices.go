package bsp

import "math"

// Vertices is a program in which each vertex has a value V and says a message M. Its
// functions are set after [NewVertices].
type Vertices[V, M any] struct {
	// Value is the value of each vertex, and Said what each said last. Both may be set
	// before the run.
	Value []V
	Said  []M

	// Combine makes one message of those that the vertices in from said, and the
	// neutral one of none. It is called with them in the order of v's list. It should
	// be associative and commutative, so that a superstep in another order gives the
	// same; [Least] and [Total] are two of them.
	Combine func(from []uint32, said []M) M

	// Update changes the value of v by what it heard, and returns what it says, which
	// counts only with the vote to speak.
	Update func(v int, value *V, heard M, t *Turn) (M, Vote)

	// End looks at a superstep and ends the run; nil waits until all sleep.
	End func(Superstep) bool

	saying []M
}

// NewVertices returns a program for n vertices whose values and messages are zero.
func NewVertices[V, M any](n int) *Vertices[V, M] {
	return &Vertices[V, M]{Value: make([]V, n), Said: make([]M, n), saying: make([]M, n)}
}

// Compute implements Program.
func (p *Vertices[V, M]) Compute(v int, from []uint32, t *Turn) (vote Vote) {
	p.saying[v], vote = p.Update(v, &p.Value[v], p.Combine(from, p.Said), t)
	return vote
}

// Commit implements Program.
func (p *Vertices[V, M]) Commit(v int) { p.Said[v] = p.saying[v] }

// Barrier implements Program.
func (p *Vertices[V, M]) Barrier(s Superstep) bool { return p.End != nil && p.End(s) }

// None is the least of no messages.
const None = math.MaxUint32

// Least is the Combine of the smallest message, None if there is none.
func Least(from []uint32, said []uint32) uint32 {
	least := uint32(None)
	for _, u := range from {
		least = min(least, said[u])
	}
	return least
}

// Total is the Combine of the sum.
func Total(from []uint32, said []float64) (sum float64) {
	for _, u := range from {
		sum += said[u]
	}
	return sum
}
