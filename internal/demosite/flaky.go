package demosite

import (
	"net/http"
	"time"
)

const (
	slowAnswer  = 200 * time.Millisecond
	binaryBytes = 10 << 10
)

// flaky makes the site that fails in every way it can. What is behind a failure
// that passes is linked from nowhere else, so it is found only by who comes back.
func (w *Web) flaky() {
	s := w.site(flakyHost, "Demo Status")
	refs := s.publishSteady([]ref{
		{"/busy/once.html", "Busy"}, {"/busy/twice.html", "Busier"}, {"/restarting.html", "Restarting"},
		{"/broken/error.html", "Broken"}, {"/broken/reset.html", "Gone"}, {"/slow.html", "Slow"},
		{"/files/photo.html", "A photo"}, {"/files/readme.txt", "Read me"},
	})
	s.note("/", "Demo Status", append(refs, ref{"http://" + docsHost + "/", "Manual"})...)
	s.publishRefusals()
	s.fail("/broken/error.html", http.StatusInternalServerError)
	s.add("/broken/reset.html", &page{})
	s.note("/slow.html", "Slow").delay = slowAnswer
	w.publishBinary(s)
	s.publishReadme()
}

// publishSteady adds pages that simply work, one for each that makes trouble, and
// puts their links in between. So a crawler whose patience doubles with each refusal and
// halves with each good answer is not driven into ever longer waits, and the demo
// stays short.
func (s *site) publishSteady(troubles []ref) []ref {
	var refs []ref
	for _, trouble := range troubles {
		steady := ref{"/steady/" + s.text.slug() + ".html", s.text.title()}
		s.note(steady.href, steady.text, ref{"/", "Status"})
		refs = append(refs, trouble, steady)
	}
	return refs
}

// publishRefusals adds the pages that say "later".
func (s *site) publishRefusals() {
	const busy, down = http.StatusTooManyRequests, http.StatusServiceUnavailable
	s.note("/busy/once.html", "Busy", ref{"/behind/once.html", "Behind it"}).refusals = []int{busy}
	s.note("/busy/twice.html", "Busier", ref{"/behind/twice.html", "Behind it"}).refusals = []int{busy, busy}
	s.note("/restarting.html", "Restarting", ref{"/behind/restart.html", "Behind it"}).refusals = []int{down}
	s.note("/behind/once.html", "Behind the busy page")
	s.note("/behind/twice.html", "Behind the busier page")
	s.note("/behind/restart.html", "Behind the restart")
}

// publishBinary adds bytes that are named like a page and hold what looks like
// a link, but say that they are neither.
func (w *Web) publishBinary(s *site) {
	body := make([]byte, binaryBytes)
	r := s.random("binary")
	for i := range body {
		body[i] = byte(r.UintN(256))
	}
	copy(body, "\x89PNG\r\n\x1a\n")
	copy(body[1000:], `<html><body><a href="/trap/binary.html">binary</a>`)
	s.asset("/files/photo.html", "image/png", string(body))
	w.traps = append(w.traps, s.url("/trap/binary.html"))
}

// publishReadme adds a page of plain text, which has words but no links.
func (s *site) publishReadme() {
	text := s.text.paragraph(80) + "\n\n" + s.text.paragraph(80) + "\n"
	p := s.answer(http.StatusOK, "text/plain; charset=utf-8", []byte(text), nil)
	p.text = text
	s.add("/files/readme.txt", p)
}
