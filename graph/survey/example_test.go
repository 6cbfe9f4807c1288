package survey_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/graph/survey"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// A site of three pages is crawled, and asked for its broken links.
func Example() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><a href="/a">a</a> <a href="/gone">gone</a>`)
		case "/a":
			fmt.Fprint(w, `<!doctype html><a href="/">home</a> <a href="/gone">gone</a>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	if err := brokenLinks(site.URL + "/"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 URLs, 4 links
	// 404 linked by 2
	// 404 linked by 2
}

func brokenLinks(seed string) error {
	name, err := os.MkdirTemp("", "example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(name)
	dir, err := store.Create(store.Disk(), name, store.Meta{}, false)
	if err != nil {
		return err
	}
	defer dir.Close()
	rec, err := report.NewRecorder(report.Config{Dir: dir})
	if err != nil {
		return err
	}
	ctx := context.Background()
	_, err = crawl.Run(ctx, crawl.Config{Seeds: []string{seed}, Recorder: rec, Store: disk.Of(dir), Gate: gate.Config{Frontier: frontier.Config{Delay: frontier.NoDelay}}})
	if err != nil {
		return err
	}
	if err := rec.Flush(); err != nil {
		return err
	}

	m, err := survey.Build(ctx, survey.Config{Dir: name})
	if err != nil {
		return err
	}
	fmt.Println(m.Nodes, "URLs,", m.Links, "links")
	s, err := survey.Open(name)
	if err != nil {
		return err
	}
	defer s.Close()
	sheet, err := s.Clicks(ctx, survey.ClicksConfig{Deeper: 3})
	if err != nil {
		return err
	}
	for _, section := range sheet.Sections {
		if section.Title == "Broken links" {
			for _, row := range section.Table.Rows {
				fmt.Println(row[1], "linked by", row[2])
			}
		}
	}
	return nil
}
