package trap

import (
	"strings"

	"crawler/weburl"
)

// onSight refuses what no honest site has, before anything was learned.
func onSight(u weburl.URL) Kind {
	if strings.Count(u.Path(), "/") > MaxSegments {
		return Deep
	}
	if u.HasQuery() && equalKeys(u.Query()) {
		return EqualKeys
	}
	return ""
}

// equalKeys reports whether one parameter occurs more than MaxEqualKeys times in a row.
func equalKeys(query string) bool {
	last, times := "", 0
	for pair := range paramsOf(query) {
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
