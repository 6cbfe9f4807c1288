package fetch

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// A Retry-After that is a date depends on two clocks. With the server's Date it is exact
// however wrong ours is; without one, a clock that is a day off makes it nothing, which
// leaves the usual back-off, or a day.
func TestRFC9110_10_2_3_RetryAfterByAWrongClock(t *testing.T) {
	server := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	value, date := server.Add(time.Minute).Format(http.TimeFormat), server.Format(http.TimeFormat)
	for _, off := range []time.Duration{0, time.Hour, 24 * time.Hour, -time.Hour, -24 * time.Hour, 87_600 * time.Hour, -87_600 * time.Hour} {
		ours := server.Add(off)
		if d := retryAfter(value, date, ours); d != time.Minute {
			t.Errorf("off by %v, with a Date: %v", off, d)
		}
		if d, want := retryAfter(value, "", ours), min(max(time.Minute-off, 0), maxRetryAfter); d != want {
			t.Errorf("off by %v, without a Date: %v, want %v", off, d, want)
		}
	}
}

// What is waited for and what is timed has a monotonic reading, so that the wall clock
// may be set meanwhile.
func TestTimesAreMonotonic(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, closedFile) })
	c := newClient(t, Config{})
	rules, err := NewRobots(c, RobotsConfig{}).Fetch(t.Context(), base, nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, u := range map[string]time.Time{"Rules.Expires": rules.Expires(), "Response.Started": get(t, c, base+"/").Started} {
		if u == u.Round(0) { // Round strips the reading
			t.Errorf("%s, %v, is of the wall clock alone", what, u)
		}
	}
}
