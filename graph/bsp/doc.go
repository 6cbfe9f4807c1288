// Package bsp runs vertex programs on graphs in bulk-synchronous steps, and has the
// programs that analyse a web graph.
//
// # The model
//
// That of Valiant (A bridging model for parallel computation, 1990) and Pregel
// (Malewicz and others, 2010). Time is cut into supersteps. In each, every vertex
// that is awake computes from what it heard, which is what others said in the
// superstep before; then all wait for each other. A vertex votes: [Speak] wakes
// those who listen to it, [Stay] keeps it awake itself, neither lets it sleep until
// somebody speaks to it. When all sleep the run is over.
//
// A vertex says the same to all who listen, as PageRank, components, distances and
// neighbourhood sizes do. So nothing is sent: what a vertex says stands in one place,
// and the listener fetches it. The lists of the graph that [Run] is given name whom a
// vertex listens to; to push along links, give it the transpose.
//
// # Determinism
//
// A listener combines what it hears in the order of its list, and sums over all
// vertices ([Turn]) are formed in blocks of 512 vertices, added in order. The result is
// the same to the bit whatever the number of workers, also in floating point.
//
// # Costs
//
// The vertices of a block belong to one goroutine for the length of a superstep, and
// nobody else writes there: no lock and no atomic operation a vertex or link. Workers
// take the next block when they are done with one, so that the work is divided by
// links and not by nodes. The graph is streamed once a superstep and never expanded in
// memory. When few vertices spoke and Config.Listeners is given, only their lists are
// read.
//
// Memory: half a byte a node for the engine, and per node
//
//	PageRank        28 bytes
//	Weak            8 bytes
//	Strong          16 bytes
//	Distances       8 bytes
//	Neighbourhoods  2 bytes a register and 8: 136 at 64 registers
//
// docs/design/007-graph.md explains this design, and how the same programs run on many
// machines.
package bsp
