package main

import (
	"net/url"
	"strings"

	"github.com/gocolly/colly/v2"
	"github.com/gocolly/colly/v2/queue"
)

// collyAsync follows _examples/parallel: an asynchronous collector with a limit of
// parallelism that visits every link.
func collyAsync(seed *url.URL, connections int) error {
	c := colly.NewCollector(colly.Async(), colly.AllowedDomains(seed.Hostname()))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href")) // its errors are "visited already" and the like
	})
	return crawlAsync(c, seed, connections)
}

// collyTuned is collyAsync with what its documentation does not ask for, but a user finds
// out: connections that stay open, and links without fragments, by which Colly tells two
// pages apart.
func collyTuned(seed *url.URL, connections int) error {
	c := colly.NewCollector(colly.Async(), colly.AllowedDomains(seed.Hostname()))
	c.WithTransport(transport(connections))
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		if link, _, _ := strings.Cut(e.Attr("href"), "#"); link != "" {
			e.Request.Visit(link)
		}
	})
	return crawlAsync(c, seed, connections)
}

func crawlAsync(c *colly.Collector, seed *url.URL, connections int) error {
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: connections}); err != nil {
		return err
	}
	if err := c.Visit(seed.String()); err != nil {
		return err
	}
	c.Wait()
	return nil
}

// collyQueue follows _examples/queue: consumer threads, a collector that need not be
// asynchronous, and every link added to the queue as a request. The collector refuses
// those that it has visited when their turn comes.
func collyQueue(seed *url.URL, connections int) error {
	c := colly.NewCollector(colly.AllowedDomains(seed.Hostname()))
	q, err := queue.New(connections, &queue.InMemoryQueueStorage{MaxSize: 1 << 30})
	if err != nil {
		return err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		if r, err := e.Request.New("GET", e.Request.AbsoluteURL(e.Attr("href")), nil); err == nil {
			q.AddRequest(r)
		}
	})
	if err := q.AddURL(seed.String()); err != nil {
		return err
	}
	return q.Run(c)
}
