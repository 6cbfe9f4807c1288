package frontier

// bestHeap orders the candidates of one host: best score first, those of one score
// breadth-first.
type bestHeap struct {
	*steering
	*hostOrder
}

func (q bestHeap) Len() int { return len(q.best) }

func (q bestHeap) Less(i, j int) bool {
	a, b := &q.slots[q.best[i]], &q.slots[q.best[j]]
	if x, y := q.steering.score(a), q.steering.score(b); x != y {
		return x > y
	}
	if a.it.Depth != b.it.Depth {
		return a.it.Depth < b.it.Depth
	}
	return a.number < b.number
}

func (q bestHeap) Swap(i, j int) {
	q.best[i], q.best[j] = q.best[j], q.best[i]
	q.slots[q.best[i]].at, q.slots[q.best[j]].at = int32(i), int32(j)
}

// Push is heap.Interface's.
func (q bestHeap) Push(x any) {
	n := x.(int32)
	q.slots[n].at = int32(len(q.best))
	q.hostOrder.best = append(q.best, n)
}

// Pop is heap.Interface's. A host whose candidates are gone keeps no memory for them.
func (q bestHeap) Pop() any {
	last := len(q.best) - 1
	n := q.best[last]
	if q.hostOrder.best = q.best[:last]; last == 0 {
		q.hostOrder.best = nil
	}
	return n
}

// dueHeap orders hosts that may be asked now: best score first, those of one score by
// who has waited longest since its last turn.
type dueHeap struct{ hostHeap }

func (q dueHeap) Less(i, j int) bool {
	a, b := q.hostHeap[i], q.hostHeap[j]
	if a.order.score != b.order.score {
		return a.order.score > b.order.score
	}
	return a.turn < b.turn
}
