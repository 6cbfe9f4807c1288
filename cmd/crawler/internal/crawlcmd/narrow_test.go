package crawlcmd

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/frontier"
)

var control = regexp.MustCompile("\r?\x1b\\[[0-9;]*[A-Za-z]")

// However small the terminal, no line of the block wraps and the block does not scroll: it
// would not be drawn over otherwise. Colours change nothing but colours.
func TestTheBlockFits(t *testing.T) {
	p := crawl.Progress{Elapsed: 3 * time.Hour, Fetched: 12_345_678, MaxPages: 20_000_000, Queued: 1_000_000, Seeds: 1000, SeedsDone: 345,
		Busiest: []frontier.HostLoad{{Host: strings.Repeat("long.", 20) + "example", Queued: 3, Spacing: time.Second}, {Host: "b.example", Queued: 2, Spacing: time.Second}},
		Waiting: frontier.Waiting{Hosts: 2, Pages: 3, Longest: []frontier.HostTrouble{{Host: "a.example", Why: "connect"}}}}
	for _, size := range [][2]int{{1, 1}, {2, 3}, {10, 5}, {20, 4}, {20, 24}, {40, 24}, {80, 24}, {200, 60}} {
		shown := map[bool]string{}
		for _, vivid := range []bool{false, true} {
			var out bytes.Buffer
			s := &screen{w: &out, memory: func() uint64 { return 100 << 20 }, live: true, vivid: vivid, size: func() (int, int) { return size[0], size[1] }}
			s.show(p)
			text := out.String()
			if !vivid && strings.Contains(text, "\x1b") || vivid && !strings.Contains(text, bold+text[len(bold):len(bold)+1]) {
				t.Errorf("%v, colours %v: %q", size, vivid, text)
			}
			shown[vivid] = control.ReplaceAllString(text, "")
			lines := strings.Split(strings.TrimSuffix(shown[vivid], "\n"), "\n")
			if len(lines) > max(size[1]-1, 1) {
				t.Errorf("%v: %d lines", size, len(lines))
			}
			for _, l := range lines {
				if len(l) >= max(size[0], 2) {
					t.Errorf("%v: a line of %d columns: %q", size, len(l), l)
				}
			}
			s.show(p)
			if again := fmt.Sprintf("\r\x1b[%dA\x1b[J", len(lines)); !strings.Contains(out.String(), again) {
				t.Errorf("%v: not drawn over by %q", size, again)
			}
		}
		if shown[false] != shown[true] {
			t.Errorf("%v: colours change the text\n%s\n%s", size, shown[false], shown[true])
		}
		if size[0] == 80 && !strings.Contains(shown[false], "seeds 34.5 %, 345 of 1,000\n") {
			t.Error(shown[false])
		}
	}
}
