package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/demosite"
	"crawler/internal/memweb"
	"crawler/report"
	"crawler/store"
)

// twoRecorders gives a crawl to two Recorders: to the first as it is, to the second with every
// text for people replaced by other words.
type twoRecorders struct {
	asIs, other *report.Recorder
	rng         *rand.Rand
	skips       []gate.Skip // as the first has them
	pages, hops []string
}

func (r *twoRecorders) Page(v *crawl.Visit) error {
	r.pages = append(r.pages, v.URL.String())
	other := *v
	other.Detail = r.words()
	return errors.Join(r.asIs.Page(v), r.other.Page(&other))
}

func (r *twoRecorders) Redirect(v *crawl.Visit) error {
	r.hops = append(r.hops, v.URL.String())
	other := *v
	if v.Target.IsZero() {
		other.Detail = r.words()
	}
	return errors.Join(r.asIs.Redirect(v), r.other.Redirect(&other))
}

func (r *twoRecorders) Skip(s gate.Skip) error {
	r.skips = append(r.skips, s)
	err := r.asIs.Skip(s)
	s.Detail = r.words()
	return errors.Join(err, r.other.Skip(s))
}

func (r *twoRecorders) Flush() error            { return errors.Join(r.asIs.Flush(), r.other.Flush()) }
func (r *twoRecorders) Cut(b crawl.Batch) error { return r.asIs.Cut(b) }

// words are a text that a program might take for one that it knows.
func (r *twoRecorders) words() string {
	known := []string{
		"redirects to http://outside.example/", "redirects to ", "disallow-all: status 503", "allow-all: status 404", "rules: group *",
		"answered 404", "trap:maze", "lorem", "ipsum", "no such host", "http://docs.demo.example/", "timeout", "", "0", "\u202e\x1b[2J",
	}
	text := known[r.rng.IntN(len(known))]
	for range r.rng.IntN(4) {
		text += " " + known[r.rng.IntN(len(known))]
	}
	return text
}

// oddWeb is the demo's web with what that lacks: a host whose robots.txt cannot be read, and
// links that are taken for a trap's.
func oddWeb(web *demosite.Web) (hosts map[string]http.Handler, seeds []string) {
	hosts = map[string]http.Handler{
		"down.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "", http.StatusServiceUnavailable)
		}),
		"odd.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if r.URL.Path == "/nowhere" {
				w.WriteHeader(http.StatusFound)
				return
			}
			fmt.Fprint(w, "<a href=/?a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a&a>again</a> <a href=http://away.example/>away</a> <a href=/nowhere>nowhere</a>")
		}),
	}
	for _, h := range web.Hosts() {
		hosts[h] = web
	}
	return hosts, append(web.Seeds(), "http://down.example/", "http://odd.example/")
}

// What a refusal says in words is for people alone: with other words, all that programs make
// of a crawl is the same.
func TestWordsAreForPeopleAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	root := t.TempDir()
	both := &twoRecorders{rng: rand.New(rand.NewPCG(seed, 0))}
	crawlReworded(t, both, filepath.Join(root, "asis", "out"), filepath.Join(root, "other", "out"))

	reasons := map[string]bool{}
	for _, s := range both.skips {
		reasons[cmp.Or(string(s.Robots), string(s.Reason))] = true
	}
	for _, want := range []string{"scope", "forbids", "unreachable", "trap:equal-keys", "reset"} {
		if !reasons[want] {
			t.Errorf("the crawl has no %q, only %v", want, reasons)
		}
	}

	t.Chdir(filepath.Join(root, "asis"))
	want := allThatIsMade(t, both)
	t.Chdir(filepath.Join(root, "other"))
	got := allThatIsMade(t, both)
	for what := range want {
		if got[what] != want[what] {
			t.Errorf("%s: with other words\n%.2000s\nwant\n%.2000s", what, got[what], want[what])
		}
	}
	if len(got) != len(want) || len(want) < 20 {
		t.Errorf("%d things are made of the one, %d of the other", len(want), len(got))
	}
	if a, b := both.asIs.FirstFailures(), both.other.FirstFailures(); !reflect.DeepEqual(wordless(a), wordless(b)) || reflect.DeepEqual(a, b) {
		t.Errorf("first failures %+v, with other words %+v", a, b)
	}
}

// crawlReworded crawls, in virtual time, into two directories.
func crawlReworded(t *testing.T, both *twoRecorders, asIs, other string) {
	synctest.Test(t, func(t *testing.T) {
		hosts, seeds := oddWeb(demosite.New(2026))
		net := memweb.New(hosts)
		defer net.Close()
		var o settings.Options
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		o.Declare(f)
		if err := f.Parse(strings.Fields("--delay 25ms -c 16 --scope domain --drop-params utm_* --sitemap --exact-stats")); err != nil {
			t.Fatal(err)
		}
		cfg, err := o.Engine(seeds)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Fetch.DialContext, cfg.Gate.Dedup.Seed, cfg.Recorder = net.DialContext, 5, both
		var dirs [2]*store.Dir
		for i, into := range []struct {
			path string
			rec  **report.Recorder
		}{{asIs, &both.asIs}, {other, &both.other}} {
			dirs[i], err = store.Create(store.Disk(), into.path, store.Meta{}, false)
			if err != nil {
				t.Fatal(err)
			}
			if *into.rec, err = report.NewRecorder(report.Config{Dir: dirs[i], Edges: true, EdgesCSV: true, Seed: 5}); err != nil {
				t.Fatal(err)
			}
		}
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i, rec := range []*report.Recorder{both.asIs, both.other} {
			if err := errors.Join(report.New("test", res, rec, report.Usage{}).Save(dirs[i].Path()), dirs[i].Close()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// allThatIsMade returns what is recorded and made of the crawl in ./out, by name, without the
// texts of its refusals.
func allThatIsMade(t *testing.T, both *twoRecorders) map[string]string {
	made := map[string]string{}
	program := func(args ...string) string {
		var out, errs bytes.Buffer
		if code := run(args, strings.NewReader(""), &out, &errs); code != shell.ExitOK {
			t.Fatalf("%v: exit code %d\n%s", args, code, errs.String())
		}
		return out.String()
	}
	for _, verb := range []string{"build", "stats", "clicks", "rank", "reach"} {
		made["graph "+verb] = program("graph", verb, "out", "--json")
	}
	program("graph", "export", "out", "--format", "csv", "-o", "out/csv")
	program("graph", "export", "out", "--format", "graphml", "-o", "out/graphml")
	program("graph", "export", "out", "--format", "webgraph", "-o", "out/webgraph")
	urls := slices.Clone(both.pages[:len(both.pages)/10])
	urls = append(urls, both.hops...)
	for _, s := range both.skips {
		urls = append(urls, s.URL)
	}
	slices.Sort(urls)
	for _, u := range slices.Compact(urls) {
		made["why "+u] = withoutDetails(t, program("why", "out", u, "--json"))
	}
	err := filepath.WalkDir("out", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		made[name] = string(data)
		switch filepath.Base(name) {
		case report.SkippedFile, report.RedirectsFile:
			made[name] = ""
			for line := range strings.Lines(string(data)) {
				made[name] += withoutDetails(t, line)
			}
		case report.JSONFile:
			made[name] = changed(t, made[name], func(v map[string]any) {
				delete(v, "checksum") // of the words, too
				delete(v, "files")
				for _, b := range v["pages"].(map[string]any)["broken"].([]any) {
					delete(b.(map[string]any), "error")
				}
				for _, f := range v["failures"].([]any) {
					delete(f.(map[string]any), "detail")
				}
			})
		case report.TextFile: // the same
			made[name] = ""
		case "graph.json":
			made[name] = withoutSources(t, made[name])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// withoutDetails takes the texts out of a refusal or redirect, or out of those of a story.
func withoutDetails(t *testing.T, text string) string {
	return changed(t, text, func(v map[string]any) {
		delete(v, "detail")
		delete(v, "error")
		for _, key := range []string{"refusals", "redirects", "led_by"} {
			list, _ := v[key].([]any)
			for _, r := range list {
				delete(r.(map[string]any), "detail")
				delete(r.(map[string]any), "error")
			}
		}
	})
}

// withoutSources takes out of a graph's manifest how long the records were, and when its files
// were made.
func withoutSources(t *testing.T, text string) string {
	return changed(t, text, func(v map[string]any) {
		delete(v, "sources")
		delete(v, "checksum")
		for _, f := range v["files"].(map[string]any) {
			delete(f.(map[string]any), "modified")
		}
	})
}

func changed(t *testing.T, text string, change func(map[string]any)) string {
	v := map[string]any{}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	change(v)
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

func wordless(skips []gate.Skip) []gate.Skip {
	skips = slices.Clone(skips)
	for i := range skips {
		skips[i].Detail = ""
	}
	return skips
}
