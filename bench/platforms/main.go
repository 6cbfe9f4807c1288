// Command platforms says whether a module would compile on other systems and processors, its
// tests included, and what vet has to say of its files there. Nothing is compiled: go build
// takes two minutes of CPU for each of them with an empty build cache, this a few seconds.
//
//	go run ./platforms [-tree DIR] [-cgo] OS/ARCH...
//
// For each platform, go list names the files that are left without cgo, or with -cgo those that
// are there with it, for which no C compiler is needed: names of C are taken for right. All
// packages are type-checked from source, as the compiler does before it makes code: those of the
// module whole, those of others without the bodies of their functions. Then vet's analyzers, of
// golang.org/x/tools, look at the module's packages, once for all platforms that have the same
// files of them; unlike go vet they know nothing of other modules' wrappers of Printf.
//
// What only a back end finds (a stack frame too large, an assembly function that is missing) or
// the linker, it does not find.
//
// Exit status: 0 if there is nothing to report, 1 if there is, 2 for other errors.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"golang.org/x/sync/errgroup"
)

func main() {
	tree := flag.String("tree", "..", "the module to check")
	cgo := flag.Bool("cgo", false, "check packages as they are with cgo")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: platforms [-tree DIR] [-cgo] OS/ARCH...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	c, err := newChecker(*tree)
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(2)
	}
	c.cgo = *cgo
	good, err := c.checkAll(ctx, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

// atOnce is how many platforms are checked at a time. Two take 1.4 GB, the files of all included.
const atOnce = 2

// checkAll prints what there is to report of platforms, in their order, and whether that is
// nothing.
func (c *moduleChecker) checkAll(ctx context.Context, platforms []string) (good bool, err error) {
	outcomes := make([]outcome, len(platforms))
	var all errgroup.Group
	all.SetLimit(min(atOnce, runtime.GOMAXPROCS(0)))
	for i, name := range platforms {
		all.Go(func() error {
			found, err := c.check(ctx, name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			outcomes[i] = found
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return false, err
	}
	good = true
	for i, found := range outcomes {
		fmt.Printf("%-14s %d packages of the module, tests included, and %d others\n", platforms[i], found.ours, found.others)
		for _, line := range found.troubles {
			fmt.Printf("%s: %s\n", platforms[i], line)
			good = false
		}
	}
	return good, nil
}
