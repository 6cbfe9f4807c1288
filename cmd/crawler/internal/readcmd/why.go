// Package readcmd has the verbs that read a crawl without changing it: report prints its
// report again, why says what became of one URL.
package readcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/ledger"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// NewWhy makes crawler why.
func NewWhy(s shell.Streams) *cobra.Command {
	var asJSON, similar bool
	c := &cobra.Command{
		Use:   "why DIR... URL",
		Short: "Say what a crawl did with one URL, and why",
		Long: `why prints what the crawl in DIR knows of a URL: the page with the link to it,
what it answered or why it was refused, how often it was tried, and where it waits in
the queue of its host. With --similar it also lists pages with the same text or nearly
the same, and for a URL without a record the closest ones that have one.

It reads few chunks of the records: those whose filter (chunks.bin) does not deny the
URL, and what has no filter yet; how many is said on standard error. With --similar it
reads all. It also reads the state of a crawl that ended, was stopped or was killed.
While the crawl runs, if it kept no state (--durable=false) or may only be read, the
records are the only source. Of a cluster's DIR, or several, all shards are asked.`,
		Example: `  crawler why example https://example.com/about
  crawler why example https://example.com/about --json | jq .pages`,
		Args: shell.AtLeast(2, "name the crawl's directory and a URL: crawler why DIR URL"),
		RunE: func(_ *cobra.Command, args []string) error {
			set, err := crawldir.Shards(args[:len(args)-1]...)
			if err != nil {
				return err
			}
			return why(s, strings.Join(args[:len(args)-1], " "), set.Dirs(), args[len(args)-1], similar, asJSON)
		},
	}
	c.Flags().BoolVar(&similar, "similar", false, "list pages of similar text, or the closest URLs: reads all records")
	c.Flags().BoolVar(&asJSON, "json", false, "print the story as JSON")
	return c
}

// story is what a crawl knows of a URL: its records and its state.
type story struct {
	*report.Story
	InWork bool   `json:"in_work,omitempty"` // handed out when the crawl was last committed
	Host   *host  `json:"host,omitempty"`    // of a URL that is queued
	Note   string `json:"note,omitempty"`    // what could not be looked at

	unasked string // why the queue could not be looked into
	similar bool   // the closest URLs were looked for
}

// host is how a queue's host was doing when the crawl was last committed.
type host struct {
	Queued   int    `json:"queued"`
	Failures int    `json:"failures,omitempty"` // in a row
	Why      string `json:"why,omitempty"`      // what the last one was
	Next     string `json:"next,omitempty"`     // when it may be asked, RFC 3339; empty: any time
}

func why(s shell.Streams, name string, dirs []string, text string, similar, asJSON bool) error {
	var meta store.Meta
	for _, dir := range slices.Backward(dirs) { // all have the same settings
		var err error
		meta, err = store.ReadMeta(store.Disk(), dir)
		if err != nil && !errors.Is(err, store.ErrNotDurable) && !(crawldir.Forbidden(err) && crawldir.IsDir(dir)) {
			return crawldir.Refuse(dir, err)
		}
	}
	u, err := weburl.Options{DropParams: meta.Flags["drop-params"]}.Parse(text)
	if err != nil {
		return shell.UsageError("give an absolute http or https URL", "%w%s", err, shell.MeantURL(text))
	}
	var damage error // of files that are not needed
	for _, dir := range dirs {
		if err := crawldir.CheckRecords(dir); err != nil {
			return crawldir.Damaged(dir, err)
		}
		damages, err := crawldir.Look(dir, false)
		if err == nil {
			err = damages.Of(report.PagesFile, report.RedirectsFile, report.SkippedFile)
		}
		if err != nil {
			return err
		}
		damage = shell.FirstError(damage, damages.Any())
	}
	st, err := tell(dirs, meta, u, similar)
	if err != nil {
		return shell.FirstError(damage, err) // as when filters of another crawl mislead the search
	}
	text = st.Read.String()
	if similar {
		text += "; then all records, for --similar"
	}
	fmt.Fprintln(s.Err, text)
	return shell.FirstError(damage, st.print(s, name, asJSON))
}

// tell finds all that the crawl knows of a URL.
func tell(dirs []string, meta store.Meta, u weburl.URL, similar bool) (*story, error) {
	known, err := report.WhyIn(dirs, u, similar)
	if err != nil {
		return nil, crawldir.Unreadable(dirs[0], err)
	}
	st := &story{Story: known, similar: similar}
	st.Seed = slices.ContainsFunc(meta.Seeds, func(seed string) bool {
		s, bare, err := crawl.ParseSeed(weburl.Options{DropParams: meta.Flags["drop-params"]}, seed)
		return err == nil && (s.String() == st.URL || bare && st.URL == "http"+strings.TrimPrefix(s.String(), "https"))
	})
	if urls := meta.Flags["inlinks"]; len(urls) == 1 && urls[0] != "0" {
		if err := st.countLinks(dirs, u, urls[0]); err != nil {
			return nil, crawldir.Unreadable(dirs[0], err)
		}
	}
	st.Lossy = slices.Equal(meta.Flags["dedup"], []string{"filter"})
	complete := true
	for _, dir := range dirs {
		if rep, err := report.Load(dir); err == nil { // there is none while it runs
			st.Trapped += rep.Trapped()
		}
		st.Complete = false
		if err := st.lookInto(dir, u); err != nil {
			return nil, crawldir.Unreadable(dir, err)
		}
		complete = complete && st.Complete
	}
	st.Complete = complete
	return st, nil
}

// countLinks counts the links to a URL again, in a crawl that estimated them for so many URLs.
func (st *story) countLinks(dirs []string, u weburl.URL, urls string) error {
	n, err := strconv.Atoi(urls)
	if err != nil {
		return fmt.Errorf("the crawl's setting inlinks is %q: %w", urls, err)
	}
	links, err := report.CountInLinks(dirs, u, n, 0)
	if errors.Is(err, fs.ErrNotExist) || err == nil && links.Exact == 0 {
		return nil
	}
	if len(st.Pages) > 0 {
		links.AtFetch = st.Pages[0].InLinks
	}
	st.InLinks = &links
	return err
}

// lookInto adds what the crawl's state knows, if there is one that can be opened.
func (st *story) lookInto(name string, u weburl.URL) error {
	dir, err := store.OpenRead(store.Disk(), name)
	switch {
	case errors.Is(err, store.ErrLocked):
		st.Note = "the crawl is running, so this is from its records alone"
		st.notAsked("the crawl is running, and its queue can be read when it has stopped")
		return nil
	case crawldir.Forbidden(err): // no lock can be taken without writing
		st.Note = fmt.Sprintf("this is from the records alone: the crawl's state cannot be opened (%v)", shell.Plain(err))
		st.notAsked("its queue could not be read")
		return nil
	case errors.Is(err, store.ErrNotDurable), errors.Is(err, store.ErrNoCrawl):
		st.Note = "this is from the records alone: the crawl has no state"
		st.notAsked("its queue was not kept")
		if rep, err := report.Load(name); err == nil { // there is none while it runs
			st.Complete = rep.EndedBy == string(crawl.Done)
		}
		return nil
	case err != nil:
		return err
	}
	defer dir.Close()
	if !dir.Resumed() {
		return nil
	}
	// First: it knows the state's version.
	if st.Complete, _, err = crawl.Complete(disk.Of(dir)); err != nil {
		return err
	}
	admitted, err := ledger.Admitted(disk.Of(dir), u)
	if err != nil {
		return err
	}
	if st.Admitted == nil || admitted { // the shard that owns it knows
		st.Admitted = &admitted
	}
	if err := st.lookIntoQueues(dir.Queue(), u); err != nil {
		return err
	}
	if st.Recorded() {
		return nil
	}
	return dir.CheckLines(report.PagesFile)
}

// notAsked notes why the queue could not be looked into.
func (st *story) notAsked(reason string) { st.Unasked, st.unasked = true, reason }

// lookIntoQueues finds the URL in the queue of its host, or where its redirects lead if that
// has no record.
func (st *story) lookIntoQueues(q *store.Queue, u weburl.URL) error {
	err := st.lookIntoQueue(q, u, func(saved frontier.HostState, pos int, it frontier.Item) {
		st.InWork = pos < saved.Leased
		st.Queued = &report.QueuedAt{Position: pos, Depth: it.Depth, Via: it.Via, From: it.From, Attempt: it.Attempt}
		st.Host = &host{Queued: saved.Queued, Failures: saved.Failures, Why: saved.Why}
		if !it.Since.IsZero() {
			st.Queued.Since = it.Since.UTC().Format(time.RFC3339)
		}
		if due, ok := saved.Due(it.URL); ok {
			st.Queued.Next = due.UTC().Format(time.RFC3339)
		}
		if !saved.NotBefore.IsZero() {
			st.Host.Next = saved.NotBefore.UTC().Format(time.RFC3339)
		}
	})
	if err != nil || len(st.Hops) == 0 || st.End != "" {
		return err
	}
	target := st.Hops[len(st.Hops)-1].Target
	if target == "" {
		return nil
	}
	if u, err = weburl.Parse(target); err != nil {
		return err
	}
	return st.lookIntoQueue(q, u, func(frontier.HostState, int, frontier.Item) { st.End = "queued" })
}

// lookIntoQueue gives found the URL's place in the queue of its host, if it is there.
func (st *story) lookIntoQueue(q *store.Queue, u weburl.URL, found func(frontier.HostState, int, frontier.Item)) error {
	return q.Hosts(func(name string, state []byte) error {
		if name != u.Host() {
			return nil
		}
		saved, err := frontier.ReadHost(name, state)
		if err != nil {
			return err
		}
		return frontier.Queue(name, state, q, func(pos int, it frontier.Item) bool {
			if it.URL != u {
				return true
			}
			found(saved, pos, it)
			return false
		})
	})
}

// text adds to the story what its records do not say.
func (st *story) text(now time.Time) string {
	var b strings.Builder
	b.WriteString(st.Story.Text())
	if st.InWork {
		b.WriteString("  it was in work at the last commit, and will be fetched first\n")
	}
	if h := st.Host; h != nil {
		fmt.Fprintf(&b, "  its host has %s queued", shell.Counted(h.Queued, "URL"))
		if h.Failures > 0 {
			fmt.Fprintf(&b, ", %s in a row", shell.Counted(h.Failures, "failure"))
		}
		if h.Why != "" {
			fmt.Fprintf(&b, ", the last of them: %s", h.Why)
		}
		if next, err := time.Parse(time.RFC3339, h.Next); err == nil && next.After(now) {
			fmt.Fprintf(&b, "\n  and may be asked from %s on", h.Next)
		}
		b.WriteByte('\n')
	}
	if st.Note != "" {
		fmt.Fprintf(&b, "  %s\n", st.Note)
	}
	return b.String()
}

func (st *story) print(s shell.Streams, name string, asJSON bool) error {
	if st.Known() {
		st.Closest = nil
	}
	var err error
	text := []byte(st.text(time.Now()))
	if asJSON {
		if text, err = json.MarshalIndent(st, "", "  "); err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: err}
		}
		text = append(text, '\n')
	}
	if err := shell.Print(s.Out, report.Printable(string(text))); err != nil {
		return err
	}
	switch {
	case st.Known():
		return nil
	case st.Unasked && st.Complete:
		err = fmt.Errorf("%s has no record of %s: %s", name, st.URL, st.unasked)
	case st.Unasked:
		err = fmt.Errorf("%s has no record of %s (yet): %s", name, st.URL, st.unasked)
	case st.Lossy:
		err = fmt.Errorf("the crawl in %s has no record of %s", name, st.URL)
	default:
		err = fmt.Errorf("the crawl in %s never met %s", name, st.URL)
	}
	hint := "--similar lists the closest URLs that have a record"
	if st.similar {
		hint = ""
	}
	return &shell.ExitError{Code: shell.ExitNothing, Err: err, Hint: hint}
}
