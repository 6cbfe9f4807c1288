package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
	"crawler/report"
	"crawler/store"
)

// damage is something that happens to a file.
type damage struct {
	name string
	do   func(t *testing.T, name string, whole []byte, other string)
	cut  bool // resume, which cuts files back to the commit, may take it
}

// damages are all of them: other is a file of the same name of another crawl.
func damages() []damage {
	write := func(t *testing.T, name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := []damage{
		{name: "emptied", do: func(t *testing.T, name string, _ []byte, _ string) { write(t, name, nil) }},
		{name: "removed", do: func(t *testing.T, name string, _ []byte, _ string) {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "of another crawl", do: func(t *testing.T, name string, _ []byte, other string) {
			data, err := os.ReadFile(other)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, data)
		}},
		{name: "with NULs behind", cut: true, do: func(t *testing.T, name string, whole []byte, _ string) {
			write(t, name, append(bytes.Clone(whole), 0, 0, 0))
		}},
		{name: "with a line twice", cut: true, do: func(t *testing.T, name string, whole []byte, _ string) {
			write(t, name, append(bytes.Clone(whole), whole[:bytes.IndexByte(whole, '\n')+1]...))
		}},
		{name: "a line swapped", do: func(t *testing.T, name string, whole []byte, _ string) {
			lines := bytes.SplitAfter(whole, []byte("\n"))
			lines[0], lines[1] = lines[1], lines[0]
			write(t, name, bytes.Join(lines, nil))
		}},
		{name: "a hole", do: func(t *testing.T, name string, whole []byte, _ string) {
			data := bytes.Clone(whole)
			clear(data[len(data)/3 : len(data)/3+100])
			write(t, name, data)
		}},
	}
	for _, at := range []float64{0.001, 0.3, 0.77, 0.9999} {
		all = append(all, damage{name: fmt.Sprintf("cut at %v", at), do: func(t *testing.T, name string, whole []byte, _ string) {
			write(t, name, whole[:int(at*float64(len(whole)))])
		}}, damage{name: fmt.Sprintf("a bit flipped at %v", at), do: func(t *testing.T, name string, whole []byte, _ string) {
			data := bytes.Clone(whole)
			i := int(at * float64(len(data)))
			data[i] ^= 1 << (i % 8)
			write(t, name, data)
		}})
	}
	all = append(all, damage{name: "cut behind a line", do: func(t *testing.T, name string, whole []byte, _ string) {
		write(t, name, whole[:bytes.LastIndexByte(whole[:len(whole)/2], '\n')+1])
	}})
	if !testing.Short() {
		return all
	}
	return slices.DeleteFunc(all, func(d damage) bool { // one of each kind
		return !slices.Contains([]string{"emptied", "cut at 0.3", "a bit flipped at 0.77"}, d.name)
	})
}

// wrecked is a finished crawl that is damaged again and again.
type wrecked struct {
	url, whole, other string // the directories of the crawl and of another one
	edges             string
}

// newWrecked crawls a site, with edges in one form.
func newWrecked(t *testing.T, edges string) *wrecked {
	t.Helper()
	w := &wrecked{whole: filepath.Join(t.TempDir(), "whole"), other: filepath.Join(t.TempDir(), "other"), edges: report.EdgesFile}
	if strings.HasSuffix(edges, "csv") {
		w.edges = report.EdgesCSVFile
	}
	for dir, pages := range map[string]int{w.whole: 60, w.other: 50} {
		site, err := bigsite.New(bigsite.Config{Pages: pages, Seed: 3, Links: 8, Text: 600, Trouble: true})
		if err != nil {
			t.Fatal(err)
		}
		url := crawltest.Serve(t, site)
		if dir == w.whole {
			w.url = url
		}
		if code, out := exit(append(crawlArgs(url, dir), edges, "--min-free", "0")...); code != shell.ExitOK {
			t.Fatalf("exit %d: %s", code, out)
		}
	}
	if code, out := exit("graph", "build", w.whole); code != shell.ExitOK {
		t.Fatalf("exit %d: %s", code, out)
	}
	return w
}

// copy makes a copy of the crawl.
func (w *wrecked) copy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c")
	if err := os.CopyFS(dir, os.DirFS(w.whole)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exit runs the command line in this process.
func exit(args ...string) (code int, output string) {
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errs)
	return code, errs.String() + out.String()
}

// Whatever happens to a file of records of a finished crawl, each reader says so, names it and
// exits with 1. crawler check finds it, --repair repairs it or
// says what is lost, and then nobody complains.
func TestDamageIsTold(t *testing.T) {
	t.Parallel()
	for _, edges := range []string{"--edges", "--edges=csv"} {
		if testing.Short() && edges != "--edges" {
			continue
		}
		w := newWrecked(t, edges)
		files := []string{report.PagesFile, report.ChunksFile, report.RedirectsFile, report.SkippedFile, report.LinksFile, w.edges}
		if testing.Short() {
			files = files[:2]
		}
		if edges != "--edges" {
			files = []string{w.edges, report.ChunksFile}
		}
		for _, file := range files {
			t.Run(file, func(t *testing.T) {
				t.Parallel()
				w.damageIsTold(t, file)
			})
		}
	}
}

// damageIsTold damages a file in every way.
func (w *wrecked) damageIsTold(t *testing.T, file string) {
	whole, err := os.ReadFile(filepath.Join(w.whole, file))
	if err != nil {
		t.Fatal(err)
	}
	cases, silent := 0, map[string]int{}
	for _, d := range damages() {
		dir := w.copy(t)
		d.do(t, filepath.Join(dir, file), whole, filepath.Join(w.other, file))
		for _, verb := range w.readers(dir) {
			cases++
			named := filepath.Join(dir, file)
			if verb[0] == "check" {
				named = "\n" + file + ": "
			}
			if code, out := exit(verb...); code != shell.ExitFailed || !strings.Contains(out, named) || !strings.Contains(out, "is damaged") {
				silent[strings.Join(verb[:len(verb)-1], " ")]++
				t.Errorf("%s %s: crawler %s exits %d: %.300s", file, d.name, strings.Join(verb, " "), code, out)
			}
		}
		w.repair(t, dir, file, d, whole)
		os.RemoveAll(dir)
	}
	t.Logf("%d cases, of which silent: %v", cases, silent)
}

func (w *wrecked) readers(dir string) [][]string {
	return [][]string{{"report", dir}, {"why", dir, w.url + "/"}, {"graph", "stats", dir}, {"graph", "build", dir}, {"graph", "rank", dir}, {"check", dir}, {"resume", "-q", dir}}
}

// repair repairs the directory and asks everybody again.
func (w *wrecked) repair(t *testing.T, dir, file string, d damage, whole []byte) {
	t.Helper()
	code, out := exit("check", dir, "--repair", "--json")
	if strings.Contains(out, "--accept-loss") {
		kept, err := os.ReadFile(filepath.Join(dir, file))
		if code != shell.ExitFailed || !strings.Contains(out, "all of its records are lost") || (d.name == "removed") != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s %s: check --repair exits %d with %d bytes left, %v: %s", file, d.name, code, len(kept), err, out)
		}
		code, out = exit("check", dir, "--repair", "--accept-loss", "--json")
	} else if (d.name == "removed" || d.name == "emptied") && file != report.ChunksFile {
		t.Errorf("%s %s: check --repair takes an empty file for the whole: %s", file, d.name, out)
	}
	var o struct {
		Sound    bool
		Findings []struct{ File, What, Costs, Remedy, Done string }
	}
	if err := json.Unmarshal([]byte(out), &o); err != nil || code != shell.ExitOK || !o.Sound || len(o.Findings) != 1 || o.Findings[0].File != file || o.Findings[0].Done == "" || o.Findings[0].Costs == "" {
		t.Errorf("%s %s: check --repair exits %d, %v: %s", file, d.name, code, err, out)
		return
	}
	now, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	made := file == report.ChunksFile // made anew from other files
	restored := d.cut || strings.HasPrefix(d.name, "a bit")
	if !made && restored != bytes.Equal(now, whole) && !(strings.HasPrefix(d.name, "a line") || len(now) == len(whole)) {
		t.Errorf("%s %s: %d bytes after the repair, %d before: %s", file, d.name, len(now), len(whole), out)
	}
	if !made && !bytes.HasPrefix(whole, now) && !strings.Contains("of another crawl, a line swapped, a hole", d.name) {
		t.Errorf("%s %s: what is left is not the beginning of what was: %s", file, d.name, out)
	}
	if file == report.PagesFile {
		nearNamesPages(t, dir)
	}
	if code, out := exit("check", dir); code != shell.ExitOK || !strings.Contains(out, "is sound") {
		t.Errorf("%s %s: check after the repair exits %d: %s", file, d.name, code, out)
	}
	for _, verb := range w.readers(dir) {
		code, out := exit(verb...)
		if fine := code == shell.ExitOK || verb[0] == "resume" && strings.Contains(out, "is complete") || verb[0] == "why" && code == shell.ExitNothing || verb[0] == "resume" && code == shell.ExitUsage; !fine {
			t.Errorf("%s %s, repaired: crawler %s exits %d: %.300s", file, d.name, strings.Join(verb, " "), code, out)
		}
	}
}

// nearNamesPages checks that near.jsonl has no page that pages.jsonl has not.
func nearNamesPages(t *testing.T, dir string) {
	t.Helper()
	pages, err := os.ReadFile(filepath.Join(dir, report.PagesFile))
	near, nearErr := os.ReadFile(filepath.Join(dir, report.NearFile))
	if err != nil || nearErr != nil {
		t.Fatal(err, nearErr)
	}
	for line := range bytes.Lines(near) {
		var of struct{ URL string }
		if err := json.Unmarshal(line, &of); err != nil || of.URL == "" || !bytes.Contains(pages, []byte(`"`+of.URL+`"`)) {
			t.Errorf("near.jsonl has %s, %v, which is no page any more", line, err)
			return
		}
	}
}

// A crawl that is sound is found to be so, by check and by everybody.
func TestSoundCrawlIsSound(t *testing.T) {
	t.Parallel()
	w := newWrecked(t, "--edges")
	for _, dir := range []string{w.whole, w.copy(t)} { // with other times of modification
		for _, verb := range w.readers(dir) {
			code, out := exit(verb...)
			want := shell.ExitOK
			if verb[0] == "resume" {
				want = shell.ExitUsage
			}
			if code != want || strings.Contains(out, "damaged") {
				t.Errorf("crawler %s exits %d: %s", strings.Join(verb, " "), code, out)
			}
		}
	}
}

// The settings, the reports, the graph and the state.
func TestOtherDamageIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("TestDamageIsTold has the readers under the race detector")
	}
	t.Parallel()
	w := newWrecked(t, "--edges")
	names, err := filepath.Glob(filepath.Join(w.whole, "graph", "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	all := damages()
	for i, name := range append(names, filepath.Join(w.whole, report.JSONFile), filepath.Join(w.whole, report.TextFile), filepath.Join(w.whole, "crawl.json")) {
		file, _ := filepath.Rel(w.whole, name)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for j, d := range all {
			if (i+j)%4 != 0 && strings.HasPrefix(file, "graph") {
				continue // another file has it: they are all read by the same code
			}
			dir := w.copy(t)
			if slices.Contains([]string{"of another crawl", "a line swapped", "a hole", "with a line twice"}, d.name) || len(whole) == 0 {
				continue // they may have one line
			}
			d.do(t, filepath.Join(dir, file), whole, "")
			if file == report.JSONFile && d.name == "removed" { // then it was killed
				continue
			}
			if code, out := exit("check", dir); code != shell.ExitFailed && file != filepath.Join("graph", "graph.json") {
				t.Errorf("%s %s: check exits %d: %s", file, d.name, code, out)
			}
			readers := [][]string{{"graph", "stats", dir}}
			switch file {
			case report.JSONFile, report.TextFile:
				readers = append(readers, []string{"report", dir}, []string{"why", dir, w.url + "/"})
			case "crawl.json":
				readers = [][]string{{"resume", dir}}
			}
			for _, verb := range readers {
				code, out := exit(verb...)
				if code == shell.ExitOK && d.name != "removed" || !strings.Contains(out, filepath.Base(file)) && file != filepath.Join("graph", "graph.json") && d.name != "removed" {
					t.Errorf("%s %s: crawler %s exits %d: %.300s", file, d.name, strings.Join(verb, " "), code, out)
				}
			}
			if code, out := exit("check", dir, "--repair"); code != shell.ExitOK {
				t.Errorf("%s %s: check --repair exits %d: %s", file, d.name, code, out)
			}
			if code, out := exit("check", dir); code != shell.ExitOK {
				t.Errorf("%s %s: check after the repair exits %d: %s", file, d.name, code, out)
			}
			if code, out := exit("graph", "stats", dir); code != shell.ExitOK {
				t.Errorf("%s %s, repaired: graph stats exits %d: %s", file, d.name, code, out)
			}
			os.RemoveAll(dir)
		}
	}
	for _, part := range []string{"state", "seen"} { // damage beyond repair is reported
		names, err := filepath.Glob(filepath.Join(w.whole, part, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			whole, err := os.ReadFile(name)
			if err != nil || len(whole) < 200 {
				continue
			}
			dir := w.copy(t)
			data := bytes.Clone(whole)
			clear(data[len(data)/2 : len(data)/2+50])
			file, _ := filepath.Rel(w.whole, name)
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
				t.Fatal(err)
			}
			code, out := exit("check", dir, "--repair")
			told := code == shell.ExitFailed && (strings.Contains(out, "cannot be resumed") || strings.Contains(out, "resume would cut")) && strings.Contains(out, "beyond repair")
			if !told && !strings.Contains(file, "OPTIONS") { // which only says how it was made
				t.Errorf("%s with a hole: exit %d: %s", file, code, out)
			}
		}
	}
}

// What was made of the records when the crawl ended is made again; a folder of a strange name, and
// files that are not the crawl's, are no trouble.
func TestCheckOfNearAndLeftovers(t *testing.T) {
	t.Parallel()
	w := newWrecked(t, "--edges")
	for _, name := range []string{"a[1", "a[1]", "*"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(dir, os.DirFS(w.whole)); err != nil {
			t.Fatal(err)
		}
		near := filepath.Join(dir, report.NearFile)
		whole, err := os.ReadFile(near)
		if err != nil {
			t.Fatal(err)
		}
		left := []string{"near.tmp1", "near.jsonl.tmp1", "pages.jsonl.tmp1", "links.bin.next", "report.json.tmp1", "crawl.json.tmp"}
		for _, file := range append(left, "mine.next", "pages.jsonl.damaged") {
			if err := os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(near, append(bytes.Clone(whole), "more\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := exit("check", dir)
		if code != shell.ExitFailed || !strings.Contains(out, report.NearFile+": it has") || strings.Contains(out, "mine") {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
		if code, out := exit("check", dir, "--repair"); code != shell.ExitOK {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
		if got, err := os.ReadFile(near); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("%s: near.jsonl has %d bytes, want %d: %v", name, len(got), len(whole), err)
		}
		for _, file := range left {
			if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
				t.Errorf("%s: %s is still there", name, file)
			}
		}
		for _, file := range []string{"mine.next", "pages.jsonl.damaged", "near.jsonl.damaged"} {
			if _, err := os.Stat(filepath.Join(dir, file)); err != nil {
				t.Error(err)
			}
		}
		if code, out := exit("check", dir); code != shell.ExitOK || !strings.Contains(out, "is sound") {
			t.Errorf("%s: exit %d: %s", name, code, out)
		}
	}
}

// A crawl without a state that is running must not be repaired: its files would be taken from
// under it.
func TestCheckLeavesARunningCrawlAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := store.Create(store.Disk(), dir, store.Meta{}, false)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := d.Lines(report.PagesFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lines.AppendLine(func(b []byte) []byte { return append(b, "no record\n"...) }), lines.Flush()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"check", dir}, {"check", dir, "--repair"}} {
		if code, out := exit(args...); code != shell.ExitUsage || !strings.Contains(out, "another process is working") {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if code, out := exit("check", dir); code == shell.ExitUsage {
		t.Errorf("once it has ended: exit %d: %s", code, out)
	}
}
