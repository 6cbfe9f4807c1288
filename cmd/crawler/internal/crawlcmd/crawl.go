package crawlcmd

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/report"
)

// tell says what was made of the seeds that were not URLs.
func (o *options) tell(w io.Writer, seeds settings.Seeds) {
	log := newLogger(o, w)
	if seeds.Bad != "" {
		if o.Quiet || o.LogFormat.Value == "json" {
			log.Warn("seeds", "skipped", seeds.Bad)
		} else {
			io.WriteString(w, report.Printable("crawler: "+seeds.Bad+"\n"))
		}
	}
	if seeds.Bare > 0 {
		log.Info("seeds without a scheme: https is asked first, and http where that does not answer", "seeds", seeds.Bare)
	}
}

// NewCrawl makes crawler crawl.
func NewCrawl(s shell.Streams) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use:   "crawl [URL...]",
		Short: "Crawl from seed URLs and write pages, refusals and a report",
		Long: `crawl visits every page that can be reached by links from the seeds, once, and
writes into the output directory:

  pages.jsonl      one line a page: url, status, title, words, ...
  redirects.jsonl  one line a URL that redirects, and where to
  skipped.jsonl    one line a URL that was not fetched, and the reason
  links.bin        every page's links, compactly (docs/format/links.md)
  chunks.bin       filters by which a URL's records are found (docs/format/chunks.md)
  edges.jsonl      with --edges: one line a page with its links
  edges.csv        with --edges=csv: one row a link
  report.json      the report (docs/report.md describes it)
  report.txt       the same as text, which is also printed
  crawl.json       seeds and settings, for crawler resume; state/ and seen/ are
                   its state (not with --durable=false)

It stays on the seeds' hosts, obeys robots.txt, keeps one connection and one
second between requests to a host, and stops when nothing is left. Ctrl-C stops
it gracefully and still prints the report; a second Ctrl-C quits at once. SIGTERM
does the same; use it (kill -TERM) for a crawl that a shell script runs in the
background, since such jobs ignore SIGINT. After a stop, a limit, a full disk or a
crash, crawler resume DIR continues the crawl.

A seed may be a host alone, such as example.com: https is asked first, and http where that does
not answer. A TIME without a unit is in seconds.

Settings come from flags, then from the environment (CRAWLER_MAX_PAGES=100),
then from the file given by --config.`,
		Example: `  crawler crawl https://example.com/ -o example
  crawler crawl https://example.com/docs/ --scope prefix --depth 3
  crawler crawl --seeds seeds.txt --contact me@example.org -c 256
  crawler crawl http://localhost:8080/ --delay 0 --per-host 8
  crawler crawl https://example.com/ --extract 'price=.price' --jsonl | jq .`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := settings.Resolve(c.Flags(), os.Environ()); err != nil {
				return err
			}
			seeds, err := settings.ReadSeeds(args, o.Seeds, s.In)
			if err != nil {
				return err
			}
			cfg, err := o.Engine(seeds.URLs)
			if err != nil {
				return err
			}
			if o.DryRun {
				if err := refusedOut(o.Out); err != nil {
					return err
				}
				return dryRun(s.Out, c.Flags(), cfg, seeds.Bad)
			}
			o.tell(s.Err, seeds)
			return o.run(c.Context(), s, cfg)
		},
	}
	o.flags(c.Flags())
	settings.Aliases(c.Flags())
	settings.Prepare(c)
	return c
}
