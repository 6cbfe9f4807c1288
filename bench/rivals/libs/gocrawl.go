package main

import (
	"net/url"

	"github.com/PuerkitoBio/gocrawl"
)

// gocrawlDefault follows the README's example with the default extender, which finds the
// links by itself, and no delay. gocrawl has one worker a host. HTTP client and
// normalization of URLs are its own.
func gocrawlDefault(seed *url.URL, _ int) error {
	opts := gocrawl.NewOptions(new(gocrawl.DefaultExtender))
	opts.RobotUserAgent = "rivals"
	opts.UserAgent = "Mozilla/5.0 (compatible; rivals/1.0)"
	opts.CrawlDelay = 0
	opts.LogFlags = gocrawl.LogNone
	return gocrawl.NewCrawlerWithOptions(opts).Run(seed.String())
}
