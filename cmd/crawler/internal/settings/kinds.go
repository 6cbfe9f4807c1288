package settings

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
)

// kind is what a flag means to a crawl that is resumed. A value that is kept stands in
// crawl.json; crawler resume may change one that is safe to change.
type kind int

const (
	once    kind = iota + 1 // says how a crawl begins: not kept, no flag of resume
	passing                 // concerns one run: not kept, a flag of resume
	open                    // kept, and a flag of resume
	extent                  // kept; decides which pages belong to the crawl
	content                 // kept; decides what is recorded of each
	filter                  // kept; the record of seen URLs is built on it
)

// kinds has every flag of crawler crawl.
var kinds = map[string]kind{
	"seeds": once, "out": once, "config": once, "dry-run": once,

	"jsonl": passing, "quiet": passing, "verbose": passing, "log-format": passing, "no-live": passing, "no-color": passing,

	"max-pages": open, "max-bytes": open, "time-limit": open, "fail-on-limit": open, "fail-on-incomplete": open, "fail-on-broken": open, "min-free": open, "max-memory": open,
	"order": open, "order-pages": open, "delay": open, "max-delay": open, "concurrency": open, "per-host": open, "per-ip": open, "ip-delay": open, "rate-limit": open,
	"retries": open, "patience": open, "timeout": open, "grace": open,
	"contact": open, "user-agent": open, "robots-token": open, "header": open, "cookies": open, "http": open, "proxy": open, "resolve": open,
	"min-rate": open, "insecure": open, "traps": open, "trap-trust": open, "trap-budget": open,

	// A URL that was refused for its host's budget is not remembered, so a larger
	// budget would come too late for it.
	"max-pages-per-host": extent,

	// What was refused for its address or port is settled, so an allowance would come
	// too late for it.
	"allow-private": extent, "allow-net": extent, "ports": extent,

	"scope": extent, "sample-hosts": extent, "include": extent, "exclude": extent, "follow": extent, "depth": extent, "sitemap": extent,
	"assets": extent, "drop-params": extent, "robots": extent,

	"extract": content, "edges": content, "exact-stats": content, "inlinks": content, "max-sites": content, "max-size": content,

	"warc": content, "warc-compress": content, "warc-dictionary": content, "warc-secrets": content, "warc-size": open,

	"expect-urls": filter, "fp-rate": filter, "restart-every": filter, "seed": filter,
	"dedup": filter, "durable": filter,
}

// resumable reports whether crawler resume takes the flag.
func (k kind) resumable() bool { return k == passing || k == open }

// Resumable reports whether crawler resume takes a flag.
func Resumable(flag string) bool { return kinds[flag].resumable() }

// Known reports whether a flag is a setting of a crawl.
func Known(flag string) bool { return kinds[flag] != 0 }

// kept reports whether the flag's value stands in crawl.json.
func (k kind) kept() bool { return k >= open }

// refusal says why crawler resume does not take the flag, and what to do.
func (k kind) refusal(flag string) error {
	const anew = "leave it out, or begin a new crawl with it: crawler crawl"
	switch k {
	case once:
		return shell.UsageError("leave it out: seeds and settings of the crawl stand in its crawl.json", "resume takes no --%s", flag)
	case extent:
		return shell.UsageError(anew, "--%s cannot change in mid-crawl: it decides which pages belong to the crawl, and would mix two different crawls", flag)
	case content:
		return shell.UsageError(anew, "--%s cannot change in mid-crawl: the records of the pages before and after would not fit together", flag)
	}
	return shell.UsageError(anew, "--%s cannot change in mid-crawl: the record of the URLs seen so far is built on it", flag)
}

// Kept are the settings that crawl.json keeps: those that differ from their
// defaults, wherever they came from.
func Kept(f *pflag.FlagSet) (map[string][]string, error) {
	kept := map[string][]string{}
	var failed error
	f.VisitAll(func(fl *pflag.Flag) {
		if failed != nil || !kinds[fl.Name].kept() || fl.Value.String() == fl.DefValue {
			return
		}
		kept[fl.Name], failed = texts(fl)
	})
	return kept, failed
}

// texts is a flag's value as the texts that set it.
func texts(fl *pflag.Flag) ([]string, error) {
	if list, ok := fl.Value.(pflag.SliceValue); ok {
		return slices.Clone(list.GetSlice()), nil
	}
	v := fl.Value.String()
	// resume may be called elsewhere
	if (fl.Name == "cookies" || fl.Name == "warc-dictionary") && v != "" {
		abs, err := filepath.Abs(v)
		return []string{abs}, err
	}
	return []string{v}, nil
}

// Changes names the flags whose kept values differ.
func Changes(before, after map[string][]string) []string {
	var names []string
	all := maps.Clone(after)
	maps.Copy(all, before)
	for name := range all {
		if !slices.Equal(before[name], after[name]) {
			names = append(names, "--"+name)
		}
	}
	slices.Sort(names)
	return names
}

// Restore gives the flags that were not given for this run the values that the
// crawl had before.
func Restore(f *pflag.FlagSet, given map[string]bool, kept map[string][]string) error {
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		fl, values := f.Lookup(name), kept[name]
		if fl == nil || !kinds[name].kept() {
			return fmt.Errorf("unknown setting %q%s", name, nearest(f, name, func(n string) string { return n }))
		}
		switch {
		case given[name] && adding[name]:
			values = joined(values, fl.Value.(pflag.SliceValue).GetSlice())
		case given[name]:
			continue
		}
		if err := restore(fl, values); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// adding are the lists that a resumed crawl adds to: the pages of a pattern may lead to another one
// that is refused, and the report names one at a time.
var adding = map[string]bool{"trap-trust": true}

// joined appends to a list what it does not have yet.
func joined(list, more []string) []string {
	list = slices.Clone(list)
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

func restore(fl *pflag.Flag, values []string) error {
	fl.Changed = true
	if list, ok := fl.Value.(pflag.SliceValue); ok {
		return list.Replace(values)
	}
	if len(values) != 1 {
		return fmt.Errorf("has %d values, want one", len(values))
	}
	return fl.Value.Set(values[0])
}

// GivenToContinue is GivenToResume for a crawl on several machines: flags of access, which are not
// kept, are taken too, and so are flags that are no settings of a crawl.
func GivenToContinue(f *pflag.FlagSet, environ []string) (map[string]bool, error) {
	return flagsGiven(f, environ, func(name string) bool { return kinds[name].resumable() || Access(name) })
}

// GivenToResume are the flags that the command line and the environment set; those
// that would make another crawl are refused.
func GivenToResume(f *pflag.FlagSet, environ []string) (map[string]bool, error) {
	return flagsGiven(f, environ, func(name string) bool { return kinds[name].resumable() })
}

func flagsGiven(f *pflag.FlagSet, environ []string, takes func(flag string) bool) (map[string]bool, error) {
	given := map[string]bool{}
	var refused error
	f.Visit(func(fl *pflag.Flag) {
		given[fl.Name] = true
		if k, ofCrawl := kinds[fl.Name]; refused == nil && ofCrawl && !takes(fl.Name) {
			refused = k.refusal(fl.Name)
		}
	})
	if refused != nil {
		return nil, refused
	}
	return given, fromEnvironment(f, environ, given, takes)
}
