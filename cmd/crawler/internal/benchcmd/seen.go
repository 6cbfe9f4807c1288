package benchcmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/net/html"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/dedup"
	"crawler/internal/bigsite"
	"crawler/weburl"
)

// The seen test knows seenPerPage URLs for each page of the site, seenMost at most, and
// is asked about the links of seenPages pages seenPasses times a round.
const (
	seenPerPage = 50
	seenMost    = 1_000_000
	seenPages   = 2_000
	seenPasses  = 5
)

// seenTest measures, each round, the CPU time in ns to resolve a link as it stands in a
// page, relative, from the root, dotted, and to find that its URL is known, among known
// URLs. Filter and log are in memory.
func seenTest(ctx context.Context, known, rounds int) ([]float64, error) {
	site, err := bigsite.New(bigsite.Config{Pages: known, Docs: 1, Links: 20})
	if err != nil {
		return nil, err
	}
	seen, err := dedup.NewSeenTest(dedup.Config{ExpectURLs: known, Seed: settings.SecretSeed()})
	if err != nil {
		return nil, err
	}
	for path := range site.All() {
		u, err := weburl.Parse(seenHost + path)
		if err != nil {
			return nil, err
		}
		if _, a := seen.Admit(u); a != dedup.New || ctx.Err() != nil {
			return nil, shell.FirstError(ctx.Err(), fmt.Errorf("seen test: %s was new and is called known", u))
		}
	}
	pages, err := linkedPages(site, known)
	if err != nil {
		return nil, err
	}
	ns := make([]float64, rounds)
	for i := range ns {
		if ns[i], err = askAll(seen, pages); err != nil {
			return nil, err
		}
	}
	return ns, ctx.Err()
}

const seenHost = "http://127.0.0.1:8080"

// linkedPage is a page's URL and its links as they stand there.
type linkedPage struct {
	base weburl.URL
	refs [][]byte
}

// linkedPages reads some pages of the site, spread over all of it.
func linkedPages(site *bigsite.Site, of int) ([]linkedPage, error) {
	step, n := max(1, of/seenPages), 0
	var pages []linkedPage
	for path := range site.All() {
		if n++; n%step != 0 || len(pages) == seenPages {
			continue
		}
		base, err := weburl.Parse(seenHost + path)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequest(http.MethodGet, base.String(), nil)
		if err != nil {
			return nil, err
		}
		w := &page{header: http.Header{}}
		site.ServeHTTP(w, req)
		pages = append(pages, linkedPage{base, hrefs(w)})
	}
	return pages, nil
}

// page is an http.ResponseWriter that keeps the body.
type page struct {
	bytes.Buffer
	header http.Header
}

func (p *page) Header() http.Header { return p.header }
func (p *page) WriteHeader(int)     {}

// hrefs returns the links of a page as they stand there, character references decoded.
func hrefs(r io.Reader) (refs [][]byte) {
	for z := html.NewTokenizer(r); ; {
		switch kind := z.Next(); kind {
		case html.ErrorToken: // the end
			return refs
		case html.StartTagToken:
			name, more := z.TagName()
			isLink := string(name) == "a"
			for more && isLink {
				var key, value []byte
				if key, value, more = z.TagAttr(); string(key) == "href" {
					refs = append(refs, bytes.Clone(value))
				}
			}
		}
	}
}

// askAll asks about all links, seenPasses times, and returns the ns for each.
func askAll(seen dedup.SeenTest, pages []linkedPage) (float64, error) {
	r := weburl.NewResolver(weburl.Options{})
	asked, began, cpu := 0, time.Now(), procinfo.Used().CPU
	for range seenPasses {
		for i := range pages {
			r.SetBase(pages[i].base)
			for _, ref := range pages[i].refs {
				u, err := r.Resolve(ref)
				if err != nil {
					return 0, fmt.Errorf("seen test: %q: %w", ref, err)
				}
				if _, a := seen.Admit(u); a != dedup.Seen {
					return 0, fmt.Errorf("seen test: %s is known and is called new", u)
				}
			}
			asked += len(pages[i].refs)
		}
	}
	took := procinfo.Used().CPU - cpu
	if took == 0 { // the system does not say
		took = time.Since(began)
	}
	return float64(took.Nanoseconds()) / float64(asked), nil
}
