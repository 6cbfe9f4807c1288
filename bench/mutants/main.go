// Command mutants asks how much the tests notice: it changes one line of the code at a time,
// so that the program does something else, and runs the tests of the changed package and, if
// these pass, of those that import it directly. A mutant that all of them pass has survived.
//
// list.txt has the mutants; each was chosen for what a user would see of it, before anybody
// looked for its test. One that is the same program in other words does not belong there.
//
//	go run ./mutants [-tree DIR] [-only REGEXP] [-owner] [-skip REGEXP] [-timeout 3m]
//
// The tree is copied to a temporary folder, and stays as it is. A mutant takes as long as its
// package's tests, until the first fails. Exit status: 0 if none survived, 1 if any did or could
// not be applied, since its line has changed.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

func main() {
	r := runner{trim: true}
	flag.StringVar(&r.tree, "tree", "..", "the module to mutate")
	list := flag.String("list", filepath.Join("mutants", "list.txt"), "the mutants")
	only := flag.String("only", "", "mutants whose room and title match")
	flag.BoolVar(&r.owner, "owner", false, "run the tests of the changed package alone")
	flag.StringVar(&r.skip, "skip", "", "tests that are not run, as go test -skip")
	flag.DurationVar(&r.timeout, "timeout", 3*time.Minute, "after which a package's tests are taken to hang")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	good, err := r.run(ctx, *list, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

// run tries all mutants of a list, and reports whether all were killed.
func (r *runner) run(ctx context.Context, list, only string) (good bool, err error) {
	match, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	text, err := os.ReadFile(list)
	if err != nil {
		return false, err
	}
	all, err := parse(string(text))
	if err != nil {
		return false, fmt.Errorf("%s: %w", list, err)
	}
	if err := r.open(ctx); err != nil {
		return false, err
	}
	defer r.close()
	count := map[fate]int{}
	began := time.Now()
	for _, m := range all {
		if !match.MatchString(m.title) {
			continue
		}
		start := time.Now()
		o := r.try(ctx, m)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		count[o.fate]++
		fmt.Printf("%-8s %6.1fs  %s  [%s]\n", o.fate, time.Since(start).Seconds(), m.title, cmp.Or(o.by, o.detail))
	}
	fmt.Printf("%d killed (%d of them by a time limit), %d survived, %d not applied, in %s\n",
		count[killed]+count[hung], count[hung], count[survived], count[invalid], time.Since(began).Round(time.Second))
	if len(r.unreliable) > 0 {
		fmt.Printf("left out, since they failed without a mutant or not again: %s\n", strings.Join(r.unreliable, " "))
	}
	return count[survived]+count[invalid] == 0, nil
}
