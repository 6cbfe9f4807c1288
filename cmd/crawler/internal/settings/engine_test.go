package settings

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/configs"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
)

// engineConfig is what a command line makes of the engine's configuration.
func engineConfig(args ...string) (crawl.Config, error) {
	o, f := newSettings()
	if err := f.Parse(args); err != nil {
		return crawl.Config{}, err
	}
	return o.Engine([]string{"http://a.example/"})
}

// Every flag that concerns the engine reaches the field it is meant for.
func TestEveryFlagReachesTheEngine(t *testing.T) {
	for _, c := range []struct {
		args string
		got  func(crawl.Config) any
		want any
	}{
		{"", func(c crawl.Config) any { return c.Workers }, 64},
		{"", func(c crawl.Config) any { return c.Gate.MaxDepth }, 0},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.Delay }, time.Second},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.PerHost }, 1},
		{"", func(c crawl.Config) any { return c.Gate.Scope.Mode }, gate.ScopeHost},
		{"", func(c crawl.Config) any { return c.Fetch.UserAgent }, "crawler/" + shell.Version},
		{"", func(c crawl.Config) any { return c.Fetch.Timeout }, 30 * time.Second},
		{"", func(c crawl.Config) any { return c.Fetch.MaxBody }, int64(10 << 20)},
		{"", func(c crawl.Config) any { return c.Gate.IgnoreRobots }, false},
		{"--depth 0", func(c crawl.Config) any { return c.Gate.MaxDepth }, gate.SeedsOnly},
		{"--depth 3", func(c crawl.Config) any { return c.Gate.MaxDepth }, 3},
		{"--max-pages 7", func(c crawl.Config) any { return c.MaxPages }, 7},
		{"--max-pages-per-host 7", func(c crawl.Config) any { return c.Gate.Frontier.MaxPerHost }, 7},
		{"--max-bytes 2GiB", func(c crawl.Config) any { return c.MaxBytes }, int64(2 << 30)},
		{"--time-limit 90", func(c crawl.Config) any { return c.TimeLimit }, 90 * time.Second},
		{"--grace 3s", func(c crawl.Config) any { return c.Grace }, 3 * time.Second},
		{"--grace 0", func(c crawl.Config) any { return c.Grace < 0 }, true},
		{"-c 9", func(c crawl.Config) any { return c.Workers }, 9},
		{"--per-host 4", func(c crawl.Config) any { return c.Gate.Frontier.PerHost }, 4},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.PerIP }, frontier.DefaultPerIP},
		{"--per-ip 8", func(c crawl.Config) any { return c.Gate.Frontier.PerIP }, 8},
		{"--per-ip 0", func(c crawl.Config) any { return c.Gate.Frontier.PerIP }, frontier.NoPerIP},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.IPDelay }, time.Duration(0)},
		{"--ip-delay 100ms", func(c crawl.Config) any { return c.Gate.Frontier.IPDelay }, 100 * time.Millisecond},
		{"--delay 250ms", func(c crawl.Config) any { return c.Gate.Frontier.Delay }, 250 * time.Millisecond},
		{"--delay 0", func(c crawl.Config) any { return c.Gate.Frontier.Delay }, frontier.NoDelay},
		{"--max-delay 5s", func(c crawl.Config) any { return c.Gate.Frontier.MaxDelay }, 5 * time.Second},
		{"--max-delay 0", func(c crawl.Config) any { return c.Gate.Frontier.MaxDelay }, frontier.NoDelay},
		{"--rate-limit 4", func(c crawl.Config) any { return c.Gate.Frontier.Interval }, 250 * time.Millisecond},
		{"--retries 5", func(c crawl.Config) any { return c.Gate.Frontier.Retries }, 5},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.Patience }, frontier.DefaultPatience},
		{"--patience 5m", func(c crawl.Config) any { return c.Gate.Frontier.Patience }, 5 * time.Minute},
		{"--patience 0", func(c crawl.Config) any { return c.Gate.Frontier.Patience }, frontier.NoPatience},
		{"--robots ignore", func(c crawl.Config) any { return c.Gate.IgnoreRobots }, true},
		{"", func(c crawl.Config) any { return c.Gate.FollowTraps }, false},
		{"--traps follow", func(c crawl.Config) any { return c.Gate.FollowTraps }, true},
		{"--trap-trust https://a.test/x --trap-trust *.b.test/#", func(c crawl.Config) any { return fmt.Sprint(c.Gate.Traps.Trust) }, "[a.test/x *.b.test/#]"},
		{"", func(c crawl.Config) any { return c.Gate.Frontier.Order }, frontier.BreadthFirst},
		{"--order opic+inlinks", func(c crawl.Config) any { return c.Gate.Frontier.Order }, frontier.OPICInLinks},
		{"--order-pages 7", func(c crawl.Config) any { return c.Gate.Frontier.OrderPages }, 7},
		{"--sitemap", func(c crawl.Config) any { return c.Sitemaps }, true},
		{"--assets", func(c crawl.Config) any { return c.Parse.Assets }, true},
		{"--scope prefix", func(c crawl.Config) any { return c.Gate.Scope.Mode }, gate.ScopePrefix},
		{"--include a --include b", func(c crawl.Config) any { return fmt.Sprint(c.Gate.Scope.Include) }, "[a b]"},
		{"--exclude x", func(c crawl.Config) any { return fmt.Sprint(c.Gate.Scope.Exclude) }, "[x]"},
		{"--extract p=.price", func(c crawl.Config) any { return len(c.Parse.Rules) }, 1},
		{"--drop-params utm_*,fbclid", func(c crawl.Config) any { return fmt.Sprint(c.Parse.URL.DropParams) }, "[utm_* fbclid]"},
		{"--contact me@example.org", func(c crawl.Config) any { return c.Fetch.UserAgent }, "crawler/" + shell.Version + " (+me@example.org)"},
		{"--user-agent x/1", func(c crawl.Config) any { return c.Fetch.UserAgent }, "x/1"},
		{"", func(c crawl.Config) any { return c.Robots.Token }, ""},
		{"--robots-token 360Spider_x-y", func(c crawl.Config) any { return c.Robots.Token }, "360Spider_x-y"},
		{"-H accept-language:en", func(c crawl.Config) any { return c.Fetch.Header.Get("Accept-Language") }, "en"},
		{"--timeout 5s", func(c crawl.Config) any { return c.Fetch.Timeout }, 5 * time.Second},
		{"--max-size 1MiB", func(c crawl.Config) any { return c.Fetch.MaxBody }, int64(1 << 20)},
		{"", func(c crawl.Config) any { return c.Fetch.HTTP2 }, false},
		{"--http 2", func(c crawl.Config) any { return c.Fetch.HTTP2 }, true},
		{"--proxy socks5://127.0.0.1:1080", func(c crawl.Config) any { return c.Fetch.Proxy.String() }, "socks5://127.0.0.1:1080"},
		{"--resolve a.example:80:127.0.0.1", func(c crawl.Config) any { return c.Fetch.Resolve["a.example:80"] }, "127.0.0.1:80"},
		{"", func(c crawl.Config) any { return fmt.Sprint(c.Fetch.Guard.Seeds) }, "[http://a.example/]"},
		{"", func(c crawl.Config) any {
			return c.Fetch.Guard.Private || len(c.Fetch.Guard.Nets)+len(c.Fetch.Guard.Ports) > 0 || c.Fetch.TLS != nil
		}, false},
		{"--allow-private", func(c crawl.Config) any { return c.Fetch.Guard.Private }, true},
		{"--allow-net 10.1.2.3/8 --allow-net ::1", func(c crawl.Config) any { return fmt.Sprint(c.Fetch.Guard.Nets) }, "[10.0.0.0/8 ::1/128]"},
		{"--ports 80,8000-8999", func(c crawl.Config) any { return c.Fetch.Guard.Ports.String() }, "80,8000-8999"},
		{"", func(c crawl.Config) any { return c.Fetch.MinRate }, int64(1 << 10)},
		{"--min-rate 0", func(c crawl.Config) any { return c.Fetch.MinRate }, int64(0)},
		{"--insecure", func(c crawl.Config) any { return c.Fetch.TLS.InsecureSkipVerify }, true},
	} {
		cfg, err := engineConfig(strings.Fields(c.args)...)
		if err != nil {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if got := c.got(cfg); got != c.want {
			t.Errorf("%q gives %v, want %v", c.args, got, c.want)
		}
	}
}

func TestFlagsOutOfRange(t *testing.T) {
	for _, args := range []string{
		"--depth -2", "--max-pages -1", "-c 0", "-c 99999", "--per-host 0", "--per-ip -1", "--per-ip 10001", "--ip-delay -1s", "--retries -1", "--retries 101",
		"--rate-limit -1", "--rate-limit 1e-9", "--rate-limit NaN", "--timeout 0", "--max-size 0", "--max-sites 0",
		"--delay -1s", "--delay 1e30", "--max-bytes 9999999999GiB", "--max-bytes -1", "--cookies /nonexistent",
		"--allow-net 10.0.0.0/33", "--allow-net localhost", "--allow-net fe80::1%lo", "--ports 0", "--ports http", "--ports 9-8", "--min-rate -1", "--trap-trust https://", "--trap-trust /cal", "--traps x",
		"--warc -o -", "--warc-secrets", "--warc --warc-size 0", "--warc --warc-dictionary x", "--warc --warc-compress zstd --warc-dictionary /nonexistent",
		"--robots-token x/1", "--robots-token *", "--robots-token a.b",
	} {
		if _, err := engineConfig(strings.Fields(args)...); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}

// The examples load, and set what they say.
func TestExampleConfigurationsLoad(t *testing.T) {
	checks := map[string]func(crawl.Config) bool{
		"polite.yaml": func(c crawl.Config) bool {
			return c.Gate.Frontier.Delay == time.Second && c.Gate.Frontier.PerHost == 1 && !c.Gate.IgnoreRobots && strings.Contains(c.Fetch.UserAgent, "(+https://")
		},
		"archive.yaml": func(c crawl.Config) bool {
			return c.Sitemaps && c.Parse.Assets && c.Fetch.MaxBody == 100<<20
		},
		"audit.yaml": func(c crawl.Config) bool {
			return c.Gate.Scope.Mode == gate.ScopeDomain && c.Sitemaps && len(c.Parse.Rules) == 3 && len(c.Parse.URL.DropParams) == 5 && len(c.Gate.Scope.Exclude) == 1
		},
		"own-site.yaml": func(c crawl.Config) bool {
			return c.Gate.Frontier.Delay == frontier.NoDelay && c.Gate.IgnoreRobots && c.Gate.Frontier.PerHost == 8
		},
	}
	names := exampleNames(t)
	if len(names) != len(checks) {
		t.Fatalf("%d examples, %d checks", len(names), len(checks))
	}
	for _, name := range names {
		data, err := configs.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o, f := newSettings()
		if err := fromFile(f, name, data, map[string]bool{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		cfg, err := o.Engine([]string{"http://a.example/"})
		if err != nil || !checks[name](cfg) {
			t.Errorf("%s: %v, sets %+v", name, err, cfg)
		}
	}
}

// notInExamples are the flags that no example configuration sets, and why not.
var notInExamples = map[string]string{
	"config": "is no setting", "dry-run": "is no setting",
	"seeds": "belongs to one crawl", "out": "belongs to one crawl",
	"jsonl": "is about one run's output", "quiet": "is about one run's output", "verbose": "is about one run's output",
	"log-format": "is about one run's output", "no-live": "is about one run's output", "no-color": "is about one run's output",
	"fail-on-incomplete": "as fail-on-limit",
	"fail-on-limit":      "is for scripts, which say so where they look at the exit code",

	"header": "may be a secret, which does not belong into a file that is passed on", "cookies": "as header",
	"proxy": "is about one machine's network, and may hold a password", "resolve": "is about one machine's network", "ports": "is about one machine's network",
	"allow-private": "takes protection away, so it is given for one crawl", "allow-net": "as allow-private", "insecure": "as allow-private",
	"user-agent":   "contact says who one is, and robots.txt goes by the program's name",
	"robots-token": "as user-agent",
	"include":      "is written as exclude, which audit.yaml shows", "follow": "as include",
	"trap-trust": "names a pattern that a report has named",

	"warc-compress": "is for those who know that their tools read zstd", "warc-dictionary": "as warc-compress", "warc-secrets": "keeps secrets, so it is given for one crawl",

	"expect-urls": "is a size that adapts itself", "fp-rate": "is a size that adapts itself", "restart-every": "is a size that adapts itself",
	"order-pages": "bounds memory that few crawls need", "max-sites": "bounds memory that few crawls need", "max-memory": "is about one machine",
	"seed":  "is drawn, and a secret, unless runs are compared",
	"edges": "is rarely needed, as links.bin has every link",
}

// An example stands for every setting, or there is a reason why none does. What polite.yaml
// says to be defaults are.
func TestEveryFlagIsInAnExample(t *testing.T) {
	_, defaults := newSettings()
	shown := map[string]bool{}
	for _, name := range exampleNames(t) {
		data, err := configs.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, f := newSettings()
		if err := fromFile(f, name, data, map[string]bool{}); err != nil { // as for no flag
			t.Fatal(err)
		}
		f.VisitAll(func(fl *pflag.Flag) {
			shown[fl.Name] = shown[fl.Name] || fl.Changed
			if was := defaults.Lookup(fl.Name).Value.String(); name == "polite.yaml" && fl.Name != "contact" && fl.Value.String() != was {
				t.Errorf("%s: %s is %s, the default %s", name, fl.Name, fl.Value, was)
			}
		})
	}
	defaults.VisitAll(func(fl *pflag.Flag) {
		if reason := notInExamples[fl.Name]; shown[fl.Name] == (reason != "") {
			t.Errorf("--%s: in an example %v, reason to leave it out %q", fl.Name, shown[fl.Name], reason)
		}
	})
	for name := range notInExamples {
		if defaults.Lookup(name) == nil {
			t.Errorf("--%s is left out of the examples, and is no flag", name)
		}
	}
}

// exampleNames are the files of the example configurations.
func exampleNames(t testing.TB) []string {
	t.Helper()
	names, err := fs.Glob(configs.Files, "*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	return names
}

func TestConfigurationFilesThatAreWrong(t *testing.T) {
	for text, want := range map[string]string{
		"delay: 1s\nmax-page: 3\n":   `c.yaml:2: unknown key "max-page" (did you mean max-pages?)`,
		"config: other.yaml\n":       "unknown key",
		"contact: null\n":            "c.yaml:1: contact: has no value",
		"depth: [1, 2]\n":            "takes one value",
		"include: {a: b}\n":          "want a value or a list",
		"delay: 1s\n---\ndelay: 2\n": "more than one document",
		"delay: 1s\ndelay: 2s\n":     "c.yaml",
		"- delay\n":                  "c.yaml",
		"scope: everything\n":        "want host, domain, prefix, any",
	} {
		_, f := newSettings()
		if err := fromFile(f, "c.yaml", []byte(text), map[string]bool{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", text, err, want)
		}
	}
}

// FuzzConfiguration: whatever a configuration file holds, it is taken or refused with
// an error, and a value that was taken is one the engine accepts or refuses in turn.
func FuzzConfiguration(f *testing.F) {
	for _, name := range exampleNames(f) {
		data, err := configs.Files.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, set := newSettings()
		o.Cookies = ""
		if fromFile(set, "c.yaml", data, map[string]bool{"cookies": true}) == nil {
			o.Engine([]string{"http://a.example/"})
		}
	})
}

func TestOpenConnections(t *testing.T) {
	for descriptors, want := range map[int]int{12: 1, 24: 1, 32: 5, 256: 117, 1024: 501} {
		if got := OpenConns(descriptors); got != want {
			t.Errorf("%d descriptors: %d connections, want %d", descriptors, got, want)
		}
	}
}

func TestIdleConnections(t *testing.T) {
	for _, c := range []struct {
		conns, descriptors int
		memory             int64
		want               int
	}{
		{64, 1 << 20, 0, 8192}, {1, 1 << 20, 0, 8192}, // a host each
		{256, 1024, 0, 501}, {64, 256, 0, 117}, // half of the descriptors that files leave
		{64, 1 << 20, 512 << 20, 2730}, {64, 1 << 20, 64 << 20, 341}, // an eighth of the memory
		{600, 1024, 64 << 20, 600},   // but never fewer than are in use
		{10_000, 1 << 20, 0, 10_000}, // beyond the limit only what is in use
	} {
		if got := idleConns(c.conns, c.descriptors, c.memory); got != c.want {
			t.Errorf("%d connections, %d descriptors, %d bytes: %d idle, want %d", c.conns, c.descriptors, c.memory, got, c.want)
		}
	}
}
