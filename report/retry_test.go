package report

import (
	"testing"

	"crawler/gate"
)

// What is taken out is what belongs to a URL that is asked again, however its text is quoted.
func TestWithdrawnLines(t *testing.T) {
	const odd = `http://a.test/x,"y"\z`
	list := []gate.GivenUp{
		{URL: "http://a.test/p", Status: 500},
		{URL: odd, Status: 503},
		{URL: "http://a.test/s", Reason: "timeout", Recorded: true},
		{URL: "http://a.test/w", Reason: "timeout"}, // not yet recorded
	}
	w := newWithdrawal(newRecorder(Config{}), list)
	source := func(url string) string { return string(appendRow(nil, url, "http://a.test/p", "anchor", false)) }
	links := func(url string) string {
		b := endLinkRecord(appendLinkText([]byte{linkRecord}, url), 0)
		return string(b)
	}
	for _, c := range []struct {
		name, line string
		keep       func([]byte) (bool, error)
		kept       bool
	}{
		{"a row", source("http://a.test/p"), w.keepRow, false},
		{"a row in quotes", source(odd), w.keepRow, false},
		{"another row", source("http://a.test/q"), w.keepRow, true},
		{"another row in quotes", source(`http://a.test/x,"y"`), w.keepRow, true},
		{"the header", rowHeader, w.keepRow, true},
		{"edges", string(appendQuoted([]byte(`{"url":`), "http://a.test/p")) + `,"links":[]}` + "\n", w.keepEdges, false},
		{"odd edges", string(appendQuoted([]byte(`{"url":`), odd)) + `,"links":[]}` + "\n", w.keepEdges, false},
		{"other edges", `{"url":"http://a.test/q","links":[{"url":"http://a.test/p"}]}` + "\n", w.keepEdges, true},
		{"links", links("http://a.test/p"), w.keepLinks, false},
		{"other links", links("http://a.test/q"), w.keepLinks, true},
		{"a redirect's link", string(appendRedirect(nil, "http://a.test/p", "http://a.test/q")), w.keepLinks, true},
		{"a refusal", `{"url":"http://a.test/s","reason":"timeout"}` + "\n", w.keepSkip, false},
		{"its repetition", `{"url":"http://a.test/s","reason":"timeout"}` + "\n", w.keepSkip, true},
		{"a refusal for another reason", `{"url":"http://a.test/s","reason":"robots"}` + "\n", w.keepSkip, true},
		{"one that was not recorded", `{"url":"http://a.test/w","reason":"timeout"}` + "\n", w.keepSkip, true},
	} {
		if kept, err := c.keep([]byte(c.line)); err != nil || kept != c.kept {
			t.Errorf("%s %q: kept %v, %v", c.name, c.line, kept, err)
		}
	}
	for name, keep := range map[string]func([]byte) (bool, error){
		`"http://a.test/p` + "\n": w.keepRow, "http\n": w.keepRow, "@\n": w.keepLinks, "{\n": w.keepSkip,
	} {
		if _, err := keep([]byte(name)); err == nil {
			t.Errorf("the line %q is taken", name)
		}
	}
	if err := w.left(); err == nil {
		t.Error("pages that were not found are not missed")
	}
}

// The list of broken links was full: those that had no room in it take the places that become
// free.
func TestBrokenLinksFillUp(t *testing.T) {
	r := newRecorder(Config{})
	var list []gate.GivenUp
	for i := range maxBroken {
		url := "http://a.test/" + string(rune('A'+i/26)) + string(rune('a'+i%26))
		r.broken = append(r.broken, Broken{URL: url, Status: 503})
		if i%2 == 0 {
			list = append(list, gate.GivenUp{URL: url, Status: 503})
		}
	}
	w := newWithdrawal(r, list)
	for _, line := range []string{
		`{"url":"http://a.test/Ab","status":503}`, // is listed, and stays
		`{"url":"http://a.test/good","status":200}`,
		`{"url":"http://a.test/law","status":451}`,
		`{"url":"http://a.test/person","status":403,"challenge":"anubis"}`,
		`{"url":"http://a.test/gone","status":410,"via":"http://a.test/"}`,
		`{"url":"http://a.test/end","status":404,"via":"http://a.test/","from":"http://a.test/begin"}`,
	} {
		if kept, err := w.keepPage([]byte(line)); !kept || err != nil {
			t.Errorf("%s: %v, %v", line, kept, err)
		}
	}
	w.lists()
	if n := len(r.broken); n != maxBroken/2+2 {
		t.Fatalf("%d broken links", n)
	}
	if got := r.broken[maxBroken/2:]; got[0] != (Broken{URL: "http://a.test/gone", Status: 410, Via: "http://a.test/"}) ||
		got[1] != (Broken{URL: "http://a.test/begin", End: "http://a.test/end", Status: 404, Via: "http://a.test/"}) {
		t.Errorf("filled up with %+v", got)
	}
}
