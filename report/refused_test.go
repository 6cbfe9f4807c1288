package report

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/weburl"
)

// answering answers every request with the same.
type answering fetch.Response

func (a answering) Get(context.Context, weburl.URL) (*fetch.Response, error) {
	res := fetch.Response(a)
	return &res, nil
}

// rulesOf are those of a host that answers like this, if it does not ask for a person.
func rulesOf(t *testing.T, body string, challenged bool) *fetch.Rules {
	t.Helper()
	a := answering{Status: 200, Body: []byte(body), Header: http.Header{}}
	if challenged {
		a.Header.Set("Cf-Mitigated", "challenge")
	}
	rules, err := fetch.NewRobots(a, fetch.RobotsConfig{}).Fetch(t.Context(), "http://a.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Answers that refuse us are told by host, and are no broken links; those that may pass are
// given up instead.
func TestRefusedToUs(t *testing.T) {
	r := newRecorder(Config{})
	for i, c := range []struct {
		host      string
		status    int
		challenge string
	}{
		{"a.example", 403, "cloudflare"}, {"a.example", 403, "cloudflare"}, {"a.example", 403, ""}, {"a.example", 200, ""},
		{"b.example", 402, ""}, {"b.example", 451, ""}, {"b.example", 404, ""},
		{"c.example", 200, "anubis"},
		{"d.example", 503, "cloudflare"}, {"d.example", 429, "cloudflare"}, {"d.example", 401, ""}, {"d.example", 410, ""},
	} {
		v := visit(t, fmt.Sprintf("http://%s/%d", c.host, i), c.status)
		v.Challenge = c.challenge
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
	}
	cut := visit(t, "http://e.example/cut", 200)
	cut.Challenge, cut.CutOff, cut.ParseErr = "anubis", true, context.DeadlineExceeded
	if err := r.Page(cut); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ host, file string }{{"e.example", "challenge"}, {"f.example", "<html>"}, {"g.example", "user-agent: *"}, {"b.example", "<html>"}} {
		v := visit(t, "http://"+c.host+"/", 200)
		v.Rules = rulesOf(t, c.file, c.file == "challenge")
		r.Robots(v)
	}
	rep := &Report{}
	r.Fill(rep)
	want := []Refused{
		{Site: "a.example", ByStatus: map[string]int{"403": 2}, Challenge: "cloudflare"},
		{Site: "b.example", ByStatus: map[string]int{"402": 1, "451": 1}},
		{Site: "c.example", ByStatus: map[string]int{"200": 1}, Challenge: "anubis"},
		{Site: "e.example", ByStatus: map[string]int{}, Robots: "challenge"},
	}
	if !reflect.DeepEqual(rep.Refused, want) {
		t.Errorf("refused %+v", rep.Refused)
	}
	if got := strings.Join(rep.RobotsPages, " "); got != "b.example f.example" {
		t.Errorf("pages for robots.txt: %s", got)
	}
	var broken []string
	for _, b := range rep.Pages.Broken {
		broken = append(broken, fmt.Sprint(b.Status))
	}
	if got := strings.Join(broken, " "); got != "403 404 503 429 401 410" {
		t.Errorf("broken links with %s", got)
	}
	text := rep.Text()
	for _, line := range []string{
		"a.example: 2 pages answered 403, challenge of cloudflare",
		"b.example: 1 page answered 402, 1 page answered 451",
		"e.example: robots.txt is behind a challenge",
		"b.example, f.example",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
}

// A robots.txt that has become one is no page any more.
func TestRobotsThatBecomesReadable(t *testing.T) {
	r := newRecorder(Config{})
	v := visit(t, "http://a.example/", 200)
	for _, c := range []struct {
		file             string
		challenged       bool
		refused, isAPage int
	}{{"<html>", true, 1, 0}, {"<html>", false, 0, 1}, {"", false, 0, 0}} {
		v.Rules = rulesOf(t, c.file, c.challenged)
		r.Robots(v)
		if refused, pages := r.refused(); len(refused) != c.refused || len(pages) != c.isAPage {
			t.Errorf("%q, challenge %v: %v, %v", c.file, c.challenged, refused, pages)
		}
	}
}

// However many sites refuse us, the report has so many.
func TestRefusingSitesAreBounded(t *testing.T) {
	r := newRecorder(Config{MaxSites: 10})
	for i := range maxRefusing + 50 {
		if err := r.Page(visit(t, fmt.Sprintf("http://h%d.example/", i), 451)); err != nil {
			t.Fatal(err)
		}
	}
	rep := &Report{}
	r.Fill(rep)
	if n := len(rep.Refused); n != maxRefusing+1 || rep.Refused[0].Site != OtherSites || rep.Refused[0].ByStatus["451"] != 50 {
		t.Errorf("%d sites, the first %+v", n, rep.Refused[0])
	}
	if text := rep.Text(); !strings.Contains(text, "and 991 more sites, in report.json") {
		t.Errorf("the text is\n%s", text)
	}
}

var _ crawl.RobotsRecorder = (*Recorder)(nil)
