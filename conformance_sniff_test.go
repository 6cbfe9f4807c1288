package crawler_test

import (
	"strings"
	"testing"

	"crawler/parse"
)

// A sniffCase is bytes served as a type, and what the MIME Sniffing standard
// (mimesniff.spec.whatwg.org) takes them for: "html", "text", "feed", or "other",
// which is nothing that has links or words.
type sniffCase struct{ name, media, body, want string }

func sniffCases() (cases []sniffCase) {
	add := func(media, want string, bodies ...string) {
		for _, body := range bodies {
			cases = append(cases, sniffCase{"served as " + orNothing(media) + ": " + body[:min(len(body), 24)], media, body, want})
		}
	}
	for _, tag := range strings.Fields("!DOCTYPE·HTML HTML HEAD SCRIPT IFRAME H1 DIV FONT TABLE A STYLE TITLE B BODY BR P") {
		tag = strings.ReplaceAll(tag, "·", " ")
		add("", "html", "<"+tag+">x", " \n<"+strings.ToLower(tag)+" >x") // 7.1, scriptable types
	}
	add("", "html", "<!-- x -->")
	add("", "other", "<?xml version='1.0'?><x/>", "%PDF-1.7 x", "%!PS-Adobe-3.0 x")
	add("", "text", "plain words", "", "\ufeffwords", "\xfe\xff\x00a", "\xff\xfea\x00", "a\x1bb", "\xe9t\xe9", "%PDF", "GIF88a x", "words\x00 "+strings.Repeat("a", 10))
	cases[len(cases)-1].want = "other"
	images := []string{"\x00\x00\x01\x00ab", "\x00\x00\x02\x00ab", "BM\x10\x00\x00\x00ab", "BMW is a maker of cars", "GIF87a ab", "GIF89a ab",
		"RIFF\x10\x00\x00\x00WEBPVP8 ab", "\x89PNG\r\n\x1a\nab", "\xff\xd8\xff\xe0ab"}
	sounds := []string{"FORM\x00\x00\x00\x10AIFFab", "ID3\x03\x00ab", "OggS\x00ab", "MThd\x00\x00\x00\x06ab", "RIFF\x10\x00\x00\x00AVI ab",
		"RIFF\x10\x00\x00\x00WAVEab", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "\x1a\x45\xdf\xa3\x42\x82\x84webm"}
	archives := []string{"\x1f\x8b\x08ab", "PK\x03\x04ab", "Rar!\x1a\x07\x00ab"}
	for _, binary := range [][]string{images, sounds, archives} {
		add("", "other", binary...)
	}
	for _, media := range []string{"text/plain", "text/plain; charset=ISO-8859-1", "text/plain; charset=iso-8859-1", "text/plain; charset=UTF-8"} {
		// 7.2
		add(media, "other", "a\x00b", "a\x08b", "a\x0bb", "a\x0eb", "a\x1ab", "a\x1cb", "a\x1fb")
		add(media, "text", "a\tb\r\n\f\x1b", "<p>words", "\ufeffwords")
	}
	add("text/plain", "text", strings.Repeat("a ", 800)+"\x00", "\xff\xfea\x00")
	add("text/plain; charset=koi8-r", "text", "a\x00b")
	add("text/html", "html", "<p>x", "words", "a\x00b", "%PDF-1.7 x", "\x89PNG\r\n\x1a\nab", "\x1f\x8b\x08ab", "\x7fELF\x02\x01")
	add("text/html", "feed", "<rss version='2.0'><channel>", "<feed xmlns='x'>") // 7.3
	add("application/rss+xml", "feed", "<rss version='2.0'><channel>")
	for _, media := range []string{"application/octet-stream", "application/pdf", "image/png", "video/mp4", "font/woff2", "application/zip"} {
		add(media, "other", "<!DOCTYPE html><a href=1>x")
	}
	return cases
}

func orNothing(media string) string {
	if media == "" {
		return "nothing"
	}
	return media
}

// TestConformanceMIMESniffing holds the choice of what is read as text against the
// standard.
func TestConformanceMIMESniffing(t *testing.T) {
	var count tally
	r := newReader()
	for _, c := range sniffCases() {
		r.read(parse.Input{URL: mustURL(t, "http://h.test/"), ContentType: c.media, Body: []byte(c.body)})
		if r.page.Kind == parse.KindOther && len(r.page.Links)+len(r.words) > 0 {
			t.Errorf("%s: not read, but has links or words", c.name)
		}
		count.check(t, quoted(c.name), r.page.Kind.String(), c.want)
	}
	count.report(t, "sniffing", 100)
}

// quoted writes a name so that it can stand in a table.
func quoted(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' {
			b.WriteString(`\x` + strings.ToLower(hexOf(c)))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
