package frontier

// bestHeap sorts the candidates of one host: best score first, equal scores breadth-first.
type bestHeap struct {
	*steering
	*hostSteering
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
	q.hostSteering.best = append(q.best, n)
}

// Pop is heap.Interface's. A host without candidates keeps no memory for them.
func (q bestHeap) Pop() any {
	last := len(q.best) - 1
	n := q.best[last]
	if q.hostSteering.best = q.best[:last]; last == 0 {
		q.hostSteering.best = nil
	}
	return n
}

// dueHeap sorts the hosts that may be asked now: best score first, and of equal scores the
// one that has waited longest since its last turn.
type dueHeap struct{ hostHeap }

func (q dueHeap) Less(i, j int) bool {
	a, b := q.hostHeap[i], q.hostHeap[j]
	if a.steer.score != b.steer.score {
		return a.steer.score > b.steer.score
	}
	return a.turn < b.turn
}
