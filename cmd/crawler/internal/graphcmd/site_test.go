package graphcmd

import "testing"

// JSON is complete, unless a limit is given.
func TestLimitsOfClicks(t *testing.T) {
	for _, c := range []struct {
		json           bool
		given          string
		limit, linkers int
	}{
		{false, "", 20, 5}, {true, "", 0, 0}, {true, "limit", 20, 0}, {true, "linkers", 0, 5}, {false, "limit", 20, 5},
	} {
		o := &graphOptions{limit: 20, linkers: 5, given: func(flag string) bool { return flag == c.given }}
		o.JSON = c.json
		if err := graphClicks.check(o); err != nil || o.limit != c.limit || o.linkers != c.linkers {
			t.Errorf("json %v, %q given: limit %d, linkers %d, %v", c.json, c.given, o.limit, o.linkers, err)
		}
	}
}
