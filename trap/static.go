package trap

import (
	"strings"

	"crawler/weburl"
)

// onSight refuses what no honest site has, before anything was learned.
func onSight(u weburl.URL) Kind {
	path := u.Path()
	if strings.Count(path, "/") > MaxSegments {
		return Deep
	}
	if repeats(path) {
		return Repeating
	}
	if u.HasQuery() && equalKeys(u.Query()) {
		return EqualKeys
	}
	return ""
}

// repeats reports whether some sequence of up to maxSequence segments occurs maxRepeats
// times in a row. Sequences of numbers alone do not count: file stores have directories
// such as /00/00/00/00/.
func repeats(path string) bool {
	if len(path) < 2*maxRepeats {
		return false
	}
	var at [MaxSegments + 2]int // where segments begin, and the end
	n := 0
	for i := range len(path) {
		if path[i] == '/' {
			at[n] = i
			n++
		}
	}
	at[n] = len(path)
	for size := 1; size <= min(maxSequence, n/maxRepeats); size++ {
		same := 0 // segments in a row that equal the one size before
		for i := size; i < n; i++ {
			if path[at[i]:at[i+1]] != path[at[i-size]:at[i-size+1]] {
				same = 0
				continue
			}
			same++
			if same >= size*(maxRepeats-1) && hasLetter(path[at[i-size+1]:at[i+1]]) {
				return true
			}
		}
	}
	return false
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			return true
		}
	}
	return false
}

// equalKeys reports whether one parameter occurs more than MaxEqualKeys times in a row.
func equalKeys(query string) bool {
	last, times := "", 0
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		if key != last {
			last, times = key, 0
		}
		if times++; times > MaxEqualKeys && key != "" {
			return true
		}
	}
	return false
}
