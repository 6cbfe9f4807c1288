package survey

import "testing"

// A reader sees an error at a page from status 400 on, and where nothing answered.
func TestBroken(t *testing.T) {
	for _, c := range []struct {
		n    Node
		want bool
	}{
		{Node{Outcome: Page, Status: 200}, false},
		{Node{Outcome: Page, Status: 399}, false},
		{Node{Outcome: Page, Status: 400}, true},
		{Node{Outcome: Page, Status: 404}, true},
		{Node{Outcome: Page, Status: 500}, true},
		{Node{Outcome: Failed}, true},
		{Node{Outcome: Redirect}, false},
		{Node{Outcome: Refused, Reason: "robots"}, false},
		{Node{}, false},
	} {
		if got := c.n.Broken(); got != c.want {
			t.Errorf("%+v is broken: %v, want %v", c.n, got, c.want)
		}
	}
}
