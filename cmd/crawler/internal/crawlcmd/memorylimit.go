package crawlcmd

import (
	"log/slog"
	"runtime/debug"
	"runtime/metrics"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
)

// memoryLimit is what --max-memory allows this process, in bytes; 0 for no limit.
type memoryLimit int64

// signaturesInMemory is for a crawl without a limit. Of 100,000 pages the search for
// near-duplicates takes 36 MiB with it, 63 with all signatures in memory, and a tenth of a second
// more.
const signaturesInMemory = 4 << 20

// forSignatures is how many bytes of signatures may be in memory when the crawl has ended: an
// eighth of the limit. The others are in a temporary file.
func (m memoryLimit) forSignatures() int64 {
	if m == 0 {
		return signaturesInMemory
	}
	return int64(m) / 8
}

// limit has the runtime collect its garbage harder as memory nears 90 % of m: the rest is
// the program itself and what the kernel holds for its files and connections. undo gives
// the limit back that was there before.
func (m memoryLimit) limit() (undo func()) {
	if m == 0 {
		return func() {}
	}
	before := debug.SetMemoryLimit(int64(m) / 10 * 9)
	return func() { debug.SetMemoryLimit(before) }
}

// pressure is the part of m that is in use and no garbage, by the last collection, of
// which there are many when memory is short. It costs about a microsecond.
func (m memoryLimit) pressure() float64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64()+s[1].Value.Uint64()) / float64(m)
}

// highPressure is the share of --max-memory in use above which the runtime does little
// but collect garbage.
const highPressure = 0.8

// watch warns, once each time it comes to that, that there is more in use than garbage
// collection can make up for.
func (m memoryLimit) watch(show func(crawl.Progress), log *slog.Logger) func(crawl.Progress) {
	high := false
	return func(p crawl.Progress) {
		now := m.pressure()
		if now > highPressure && !high {
			log.Warn("memory is nearly used up (--max-memory): lower -c or --max-size",
				"in_use", shell.SizeText(int64(now*float64(m))), "max_memory", shell.SizeText(int64(m)))
		}
		high = now > highPressure
		show(p)
	}
}
