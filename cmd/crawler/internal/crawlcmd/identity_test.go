package crawlcmd

import (
	"strings"
	"testing"
)

// Who cannot be reached, or named in robots.txt, is warned.
func TestAnonymousCrawlersAreWarned(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // a word of each warning
	}{
		{nil, "no contact"},
		{[]string{"--contact", "me@real.museum"}, ""},
		{[]string{"--contact", "https://myexample.com/bot"}, ""},
		{[]string{"--contact", "https://example.com.au/bot"}, ""},
		{[]string{"--contact", "test@real.museum"}, ""},
		{[]string{"--contact", "you@example.org"}, "is an example's"},
		{[]string{"--contact", "https://www.Example.com/crawler"}, "is an example's"},
		{[]string{"--contact", "me@bots.example"}, "is an example's"},
		{[]string{"--user-agent", "ExampleBot/1 (+https://example.com.)"}, "is an example's"},
		{[]string{"--user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}, "no name of its own"},
		{[]string{"--user-agent", "(me)"}, "no name of its own"},
		{[]string{"--user-agent", "Mozilla/5.0 (compatible; ExampleBot/0.1; +https://real.museum/)"}, ""},
		{[]string{"--user-agent", "Mozilla/5.0", "--robots-token", "ExampleBot"}, ""},
		{[]string{"--user-agent", "Mozilla/5.0", "--robots", "ignore"}, ""},
		{[]string{"--user-agent", "Mozilla/5.0 (+https://example.net)"}, "is an example's; no name of its own"},
	} {
		o, cfg := configured(t, "https://a.museum/", c.args...)
		got := anonymous(cfg, o.Contact == "" && o.UserAgent == "")
		want := strings.Split(c.want, "; ")
		if c.want == "" {
			want = nil
		}
		fits := len(got) == len(want)
		for i := range want {
			fits = fits && strings.Contains(got[i], want[i])
		}
		if !fits {
			t.Errorf("%q: warned of %q, want %q", c.args, got, want)
		}
	}
}
