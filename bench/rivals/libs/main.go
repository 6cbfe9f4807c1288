// Command libs crawls one site with one of the Go libraries that are raced, each set up
// as its documentation recommends: libs NAME URL CONNECTIONS. It is a program of its own
// so that time and memory are the library's; it prints nothing but errors.
package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
)

// crawlers crawl the host of seed to the end over at most so many connections.
var crawlers = map[string]func(seed *url.URL, connections int) error{
	"colly":       collyAsync,
	"colly-queue": collyQueue,
	"colly-tuned": collyTuned,
	"fetchbot":    fetchbotFull,
	"gocrawl":     gocrawlDefault,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "libs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || crawlers[args[0]] == nil {
		return fmt.Errorf("%q: want colly, colly-queue, colly-tuned, fetchbot or gocrawl, a URL and the number of connections", args)
	}
	seed, err := url.Parse(args[1])
	if err != nil {
		return err
	}
	connections, err := strconv.Atoi(args[2])
	if err != nil || connections < 1 {
		return fmt.Errorf("%q connections: want a positive number", args[2])
	}
	return crawlers[args[0]](seed, connections)
}

// transport keeps its connections open. The default one keeps two for each host, and
// opens and closes the others for nearly every page.
func transport(connections int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = connections
	return t
}
