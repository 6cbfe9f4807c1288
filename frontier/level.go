package frontier

// level is the queue of one host at one depth and rank: the blocks on disk, then the tail in
// memory.
type level struct {
	depth      int         // as Item.level has it
	count      int         // records of both parts
	disk       *stored     // nil if nothing is on disk
	tail       *tail       // nil if nothing was pushed since the last commit
	outOfOrder *outOfOrder // nil if all records are leased in order
}

// rankShift is where in the number of a level its rank begins.
const (
	rankShift = 24
	depthMask = 1<<rankShift - 1
)

const maxRank = 127

// level returns the number of the item's level: levels are served in ascending sequence.
func (it *Item) level() int { return int(it.Rank)<<rankShift | min(it.Depth, depthMask) }

// setLevel undoes level.
func (it *Item) setLevel(level int) {
	it.Rank, it.Depth = uint8(level>>rankShift), level&depthMask
}

func (l *level) push(it Item, buf []byte, p *pager) []byte {
	if l.tail == nil {
		l.tail = &tail{}
	}
	l.count++
	return l.tail.push(it, buf, p != nil)
}

// pop takes the oldest item of a level that has one. An error changes nothing.
func (l *level) pop(host string, p *pager) (Item, error) {
	if l.disk == nil || l.disk.empty() {
		l.counted()
		return l.tail.pop(host, l.depth), nil
	}
	it, err := p.pop(l.disk, host, l.depth)
	if err == nil {
		l.counted()
	}
	return it, err
}

// counted notes that a record was read.
func (l *level) counted() {
	l.count--
	if l.outOfOrder != nil {
		l.outOfOrder.next++
	}
}

// gone reports whether nothing of the level is left, in memory or on disk.
func (l *level) gone() bool { return l.count == 0 && (l.disk == nil || l.disk.used == 0) }

// commit writes the changes after which the disk has exactly the blocks that are queued.
func (l *level) commit(w Writer, host string, p *pager) {
	if s := l.disk; s != nil && s.used > 0 {
		w.DeleteBlocks(host, l.depth, s.head-uint64(s.used), s.head)
		s.used = 0
	}
	if l.tail == nil {
		return
	}
	blocks := l.tail.pack()
	l.tail = nil
	if len(blocks) == 0 {
		return
	}
	if l.disk == nil {
		l.disk = &stored{}
	}
	l.disk.count = l.count
	for _, b := range blocks {
		w.PutBlock(host, l.depth, l.disk.next, b)
		l.disk.next++
	}
	p.flight[l.disk] = blocks
}
