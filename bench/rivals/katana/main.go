// Command katana crawls one site with the standard engine of Katana as its README's
// "Katana as a library" shows: katana URL CONNECTIONS. It is a program of its own so that
// the cost of starting Katana's many packages burdens no other library. Results go to
// standard output, as Katana writes them.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/projectdiscovery/gologger"
	"github.com/projectdiscovery/gologger/levels"
	"github.com/projectdiscovery/katana/pkg/engine/standard"
	"github.com/projectdiscovery/katana/pkg/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "katana:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%q: want a URL and the number of connections", args)
	}
	connections, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	gologger.DefaultLogger.SetMaxLevel(levels.LevelSilent)
	options, err := types.NewCrawlerOptions(&types.Options{
		MaxDepth:     1000,
		FieldScope:   "fqdn",
		BodyReadSize: math.MaxInt,
		Timeout:      10,
		Retries:      1,
		Concurrency:  connections,
		Parallelism:  connections,
		RateLimit:    math.MaxInt32, // none; the engine panics on 0
		Strategy:     "breadth-first",
		NoColors:     true,
		Silent:       true,
	})
	if err != nil {
		return err
	}
	defer options.Close()
	crawler, err := standard.New(options)
	if err != nil {
		return err
	}
	defer crawler.Close()
	return crawler.Crawl(args[0])
}
