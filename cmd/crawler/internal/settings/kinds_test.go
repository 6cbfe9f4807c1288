package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
)

func newSettings() (*Options, *pflag.FlagSet) {
	o := &Options{}
	f := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	o.Declare(f)
	return o, f
}

// A new flag has to say what it means to a crawl that is resumed.
func TestEveryFlagHasAKind(t *testing.T) {
	_, f := newSettings()
	flags := 0
	f.VisitAll(func(fl *pflag.Flag) {
		flags++
		if kinds[fl.Name] == 0 {
			t.Errorf("--%s has no kind: add it to kinds.go", fl.Name)
		}
	})
	if flags != len(kinds) {
		t.Errorf("%d flags, %d kinds", flags, len(kinds))
	}
}

// given is a value of every flag that is kept, other than its default.
var given = map[string][]string{
	"order": {"opic+inlinks"}, "order-pages": {"1000"}, "traps": {"follow"}, "trap-trust": {"a.example/x"}, "trap-budget": {"50"},
	"max-pages": {"7"}, "max-bytes": {"2GiB"}, "time-limit": {"90s"}, "fail-on-limit": {"true"}, "min-free": {"0"}, "max-memory": {"512MiB"},
	"delay": {"250ms"}, "max-delay": {"0"}, "concurrency": {"9"}, "per-host": {"4"}, "per-ip": {"0"}, "ip-delay": {"20ms"}, "rate-limit": {"0.125"},
	"retries": {"5"}, "patience": {"5m"}, "fail-on-incomplete": {"true"}, "fail-on-broken": {"true"}, "timeout": {"5"}, "grace": {"3s"}, "contact": {"me@example.org"}, "user-agent": {"x/1, y"}, "robots-token": {"y-Bot"},
	"header": {"A: b, c", "Authorization: Basic \"x\""}, "cookies": {"testdata/cookies.txt"}, "http": {"2"}, "proxy": {"http://u:p@127.0.0.1:3128"},
	"resolve": {"a.example:80:127.0.0.1", "b.example:80:127.0.0.1"}, "max-pages-per-host": {"3"},
	"scope": {"domain"}, "sample-hosts": {"12.5%"}, "include": {"a,b", `c\.(d|e)`}, "exclude": {"x y", ""}, "follow": {"/list/", "."}, "depth": {"0"}, "sitemap": {"true"},
	"assets": {"true"}, "drop-params": {"utm_*", "fbclid"}, "robots": {"ignore"},
	"extract": {"h1=h1", "d=meta[name=\"description\"]@content"}, "edges": {"csv"}, "exact-stats": {"true"}, "inlinks": {"5000"},
	"max-sites": {"5"}, "max-size": {"1234"}, "expect-urls": {"1000"}, "fp-rate": {"0.25"}, "restart-every": {"10"},
	"min-rate": {"0"}, "insecure": {"true"}, "allow-private": {"true"}, "allow-net": {"10.0.0.0/8", "fd00::/8"}, "ports": {"80,443,8000-8999"},
	"warc": {"true"}, "warc-size": {"2GiB"}, "warc-compress": {"zstd"}, "warc-dictionary": {"testdata/dictionary"}, "warc-secrets": {"true"},
	"seed": {"18446744073709551615"}, "dedup": {"filter"}, "durable": {"false"},
}

// Every flag fills the field that has its name, and no other.
func TestFieldsAreNamedAsTheirFlags(t *testing.T) {
	onceOnly := map[string]string{
		"seeds": "x", "out": "x", "config": "x", "dry-run": "true", "jsonl": "true",
		"quiet": "true", "verbose": "true", "log-format": "json", "no-live": "true", "no-color": "true",
	}
	for name := range kinds {
		o, f := newSettings()
		before := *o
		value := onceOnly[name]
		if value == "" {
			value = given[name][0]
		}
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
		was, is := reflect.ValueOf(before), reflect.ValueOf(*o)
		var changed []string
		for i := range is.NumField() {
			if fmt.Sprint(was.Field(i)) != fmt.Sprint(is.Field(i)) {
				changed = append(changed, is.Type().Field(i).Name)
			}
		}
		if len(changed) != 1 || !strings.EqualFold(changed[0], strings.ReplaceAll(name, "-", "")) {
			t.Errorf("--%s fills %q, not the field of its name", name, changed)
		}
	}
}

// What crawl.json keeps of the settings gives the same crawl again.
func TestKeptSettingsGiveTheSameCrawl(t *testing.T) {
	for name, k := range kinds {
		if k.kept() != (given[name] != nil) {
			t.Fatalf("--%s: give it a value in this test, if it is kept", name)
		}
	}
	o, f := newSettings()
	for name, values := range given {
		for _, v := range values {
			if err := f.Set(name, v); err != nil {
				t.Fatalf("--%s %s: %v", name, v, err)
			}
		}
	}
	kept, err := Kept(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != len(given) {
		t.Errorf("kept %q, gave %q", slices.Sorted(maps.Keys(kept)), slices.Sorted(maps.Keys(given)))
	}
	data, err := json.Marshal(kept)
	if err != nil {
		t.Fatal(err)
	}
	var read map[string][]string
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	again, g := newSettings()
	if err := Restore(g, nil, read); err != nil {
		t.Fatal(err)
	}
	if here, err := os.Getwd(); err != nil || again.Cookies != filepath.Join(here, "testdata/cookies.txt") {
		t.Errorf("the cookies are in %q, %v: want a path that holds in every directory", again.Cookies, err)
	}
	if !filepath.IsAbs(again.WarcDictionary) || filepath.Base(again.WarcDictionary) != "dictionary" {
		t.Errorf("the dictionary is in %q: want a path that holds in every directory", again.WarcDictionary)
	}
	again.Cookies, again.WarcDictionary = o.Cookies, o.WarcDictionary
	f.VisitAll(func(fl *pflag.Flag) {
		if after := g.Lookup(fl.Name).Value.String(); after != fl.Value.String() {
			t.Errorf("--%s is %s, was %s", fl.Name, after, fl.Value)
		}
	})
	if !slices.Equal(again.Header, o.Header) || len(again.Include) != 2 || len(again.Extract.parsed) != 2 {
		t.Errorf("headers %q, was %q; %d expressions, %d rules", again.Header, o.Header, len(again.Include), len(again.Extract.parsed))
	}
}

func TestDefaultsAreNotKept(t *testing.T) {
	_, f := newSettings()
	if err := f.Parse(strings.Fields("--delay 1s -o out -q --log-format json --seeds x --no-color")); err != nil {
		t.Fatal(err)
	}
	if kept, err := Kept(f); err != nil || len(kept) != 0 {
		t.Errorf("kept %q, %v", kept, err)
	}
}

// A pattern to trust is added to those that the crawl trusts: one may lead to the next.
func TestTrustIsAddedTo(t *testing.T) {
	o, f := newSettings()
	if err := f.Parse(strings.Fields("--trap-trust b.test/# --trap-trust a.test/*")); err != nil {
		t.Fatal(err)
	}
	now, err := GivenToResume(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Restore(f, now, map[string][]string{"trap-trust": {"a.test/*", "c.test/@"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(o.TrapTrust, " "), "a.test/* c.test/@ b.test/#"; got != want {
		t.Errorf("the crawl trusts %s, want %s", got, want)
	}
}

// What is given for this run comes before what the crawl had; a list is replaced.
func TestSettingsOfAResumedCrawl(t *testing.T) {
	o, f := newSettings()
	if err := f.Parse(strings.Fields("--max-pages 20 -H X:2 --proxy=")); err != nil {
		t.Fatal(err)
	}
	now, err := GivenToResume(f, []string{"CRAWLER_DELAY=3s", "CRAWLER_SCOPE=any", "CRAWLER_MAX_PAGES=30", "CRAWLER_OUT=x", "HOME=/"})
	if err != nil {
		t.Fatal(err)
	}
	before := map[string][]string{
		"max-pages": {"10"}, "delay": {"5s"}, "scope": {"domain"}, "header": {"X: 0", "X: 1"}, "proxy": {"http://127.0.0.1:1"}, "retries": {"0"},
	}
	if err := Restore(f, now, before); err != nil {
		t.Fatal(err)
	}
	if o.MaxPages != 20 || o.Delay != shell.Seconds(3e9) || o.Scope.Value != "domain" || len(o.Header) != 1 || o.Proxy != "" || o.Retries != 0 || o.Out != "" {
		t.Errorf("pages %d, delay %v, scope %s, headers %q, proxy %q, retries %d, out %q", o.MaxPages, o.Delay, o.Scope.Value, o.Header, o.Proxy, o.Retries, o.Out)
	}
	after, err := Kept(f)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(Changes(before, after), " "), "--delay --header --max-pages --proxy"; got != want {
		t.Errorf("changed %s, want %s", got, want)
	}
	cfg, err := o.Engine([]string{"http://a.example/"})
	if err != nil || cfg.Gate.Frontier.Delay != 3e9 || cfg.Gate.Frontier.Retries != 0 || cfg.MaxPages != 20 {
		t.Errorf("%+v, %v", cfg.Gate.Frontier, err)
	}
}

func TestResumeRefusesWhatWouldMakeAnotherCrawl(t *testing.T) {
	for name, k := range kinds {
		_, f := newSettings()
		value := "1"
		if v := given[name]; v != nil {
			value = v[0]
		} else if name == "log-format" {
			value = "json"
		}
		if err := f.Set(name, value); err != nil {
			t.Fatal(err)
		}
		_, err := GivenToResume(f, nil)
		if refused := err != nil; refused == k.resumable() {
			t.Errorf("--%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "--"+name+" ") && !strings.HasSuffix(err.Error(), "--"+name) {
			t.Errorf("--%s is not named: %v", name, err)
		}
	}
}

func TestSettingsThatCannotBeRestored(t *testing.T) {
	for name, values := range map[string][]string{
		"dealy": {"1s"}, "quiet": {"true"}, "delay": {"1s", "2s"}, "retries": {}, "depth": {"deep"}, "include": {"("},
	} {
		_, f := newSettings()
		if err := Restore(f, nil, map[string][]string{name: values}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s %q: %v", name, values, err)
		}
	}
}
