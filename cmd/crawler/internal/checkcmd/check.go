// Package checkcmd has the verb that checks a crawl's directory as a whole, says what each damage
// costs, and repairs what it can. An exam looks; mend.go has what is done about each finding.
package checkcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/report"
	"crawler/store"
)

// New makes crawler check.
func New(s shell.Streams) *cobra.Command {
	var asJSON bool
	var r repairs
	c := &cobra.Command{
		Use:   "check DIR...",
		Short: "Check that a crawl's directory is as it was written, and repair it",
		Long: `check reads everything in the directory of a crawl that is not running: the records
and their checksums, the settings, the state and the log of seen URLs, the report and
the graph. It says what is damaged and what that costs, and changes nothing.

With --repair it puts right what it can: a single flipped bit, settings from the copy in
the state, the graph from the links. Of records that cannot be restored it keeps the sound
ones, and says how many are lost; of an archive it names the URLs whose answers are. The
damaged file stays beside it, as FILE.damaged. A file of which nothing can be read is
taken for an empty one with --accept-loss alone.

A state that is missing or damaged is made again from the records, once these are sound:
what has a record is not asked for again, and what the records link to and has none is
queued. What is in no record, such as the words of pages, begins anew; check lists it.
The damaged state stays beside the new one, as state.damaged.

Of a cluster's DIR, and of several, each shard is checked, and then the files that were
made of all of them.`,
		Example: `  crawler check example
  crawler check example --repair
  crawler check example --json | jq .findings`,
		Args: shell.AtLeast(1, "name the crawl's directory: crawler check DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if r.acceptLoss && !r.wanted {
				return shell.UsageError("add --repair", "--accept-loss changes nothing without --repair")
			}
			set, err := crawldir.Shards(args...)
			if err != nil {
				return err
			}
			if set.Single() {
				return check(c.Context(), s, args[0], r, asJSON)
			}
			return checkShards(c.Context(), s, args, set, r, asJSON)
		},
	}
	c.Flags().BoolVar(&r.wanted, "repair", false, "repair what is possible, and keep the damaged files")
	c.Flags().BoolVar(&r.acceptLoss, "accept-loss", false, "with --repair: continue without a file of which all records are lost")
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return c
}

// repairs says what may be changed.
type repairs struct{ wanted, acceptLoss bool }

// finding is something in the directory that is not as it was written.
type finding struct {
	File  string `json:"file"`  // or folder, within the directory
	What  string `json:"what"`  // is wrong
	Costs string `json:"costs"` // what is lost by it
	// Lost are the URLs whose answers the archive has lost by it, at most 100,000.
	Lost []string `json:"lost_urls,omitempty"`
	// Harmless is true for what a killed process has left, and for an end that resume cuts off.
	Harmless bool   `json:"harmless,omitempty"`
	Remedy   string `json:"remedy,omitempty"` // what --repair does about it
	Done     string `json:"done,omitempty"`   // what it has done
	// Partial is what is not had back by it, and what that costs.
	Partial []string `json:"partial,omitempty"`

	mend    func() (done string, err error)
	rebuild bool // the state is made again from the records, after all else
}

// outcome is what check prints.
type outcome struct {
	Dir      string    `json:"dir"`
	Sound    bool      `json:"sound"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Records  int       `json:"state_records"`
	Seen     int64     `json:"seen_urls"`
	Findings []finding `json:"findings"`

	needsLoss bool // a file is left as it is for lack of --accept-loss
}

func check(parent context.Context, s shell.Streams, name string, r repairs, asJSON bool) error {
	ctx, release := interruptible(parent)
	defer release()
	found, err := lookTwice(ctx, name, r)
	if err != nil {
		return err
	}
	if err := found.print(s, asJSON); err != nil {
		return err
	}
	if found.Sound {
		return nil
	}
	return unsound(name, r.wanted, found.needsLoss)
}

// interruptible ends with Ctrl-C.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	if parent == nil {
		parent = context.Background()
	}
	return signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
}

// lookTwice examines the directory, and once more after a repair.
func lookTwice(ctx context.Context, name string, r repairs) (*outcome, error) {
	found, err := look(ctx, name, r)
	if err != nil || !r.wanted || len(found.Findings) == 0 {
		return found, err
	}
	after, err := look(ctx, name, repairs{})
	if err != nil {
		return nil, err
	}
	found.Sound, found.Files, found.Bytes = after.Sound, after.Files, after.Bytes
	found.Records, found.Seen = after.Records, after.Seen
	return found, nil
}

// unsound is the error of what is damaged.
func unsound(name string, repair, needsLoss bool) error {
	failed := &shell.ExitError{Code: shell.ExitFailed, Err: fmt.Errorf("%s is damaged", name)}
	switch {
	case repair && needsLoss:
		failed.Err = fmt.Errorf("%s is damaged: all records of a file are lost", name)
		failed.Hint = "put a copy in its place; " + crawldir.CheckCommand(name) + " --repair --accept-loss continues without them"
	case repair:
		failed.Err = fmt.Errorf("%s is damaged beyond repair", name)
		failed.Hint = "put a copy in the place of what is damaged, or crawl again with another -o"
	default:
		failed.Hint = crawldir.CheckCommand(name) + " --repair does what stands above"
	}
	return failed
}

// look examines the directory and, with repair, repairs what it finds.
func look(ctx context.Context, name string, r repairs) (o *outcome, err error) {
	e, err := begin(name, r.wanted)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	e.acceptLoss = r.acceptLoss
	if err := e.examine(ctx); err != nil {
		return nil, err
	}
	if r.wanted {
		if err := e.mendAll(); err != nil {
			return nil, err
		}
	}
	return &e.outcome, nil
}

// begin opens what can be opened of the directory.
func begin(name string, repair bool) (*exam, error) {
	e := &exam{outcome: outcome{Dir: name, Sound: true, Findings: []finding{}}}
	meta, metaErr := store.ReadMeta(store.Disk(), name)
	e.meta, e.metaErr = meta, metaErr
	state, unreadable, err := store.Inspect(store.Disk(), name, repair)
	switch {
	case errors.Is(err, store.ErrLocked), crawldir.Forbidden(err), crawldir.Exhausted(err), errors.Is(err, store.ErrRewriting):
		return nil, crawldir.Refuse(name, err)
	case errors.Is(metaErr, store.ErrNewer), errors.Is(metaErr, store.ErrNoCrawl) && errors.Is(err, store.ErrNoCrawl):
		return nil, crawldir.Refuse(name, metaErr)
	case err == nil:
		e.state = state
		e.settings(unreadable)
	case errors.Is(err, store.ErrNoCrawl) && errors.Is(metaErr, store.ErrNotDurable):
		// it never had one
	case metaErr == nil && store.Unbegun(store.Disk(), name):
		e.found(finding{File: "state", What: "nothing had been committed when the crawl was killed", Harmless: true, Costs: "nothing: resume starts again from the seeds"})
	default:
		e.stateless("state", err)
		e.settings(metaErr)
	}
	if e.state == nil { // which has the lock else
		e.lock, err = store.Lock(store.Disk(), name)
		if errors.Is(err, store.ErrLocked) || repair && err != nil {
			return nil, crawldir.Refuse(name, err)
		}
	}
	e.rep, e.repErr = report.Load(name)
	return e, nil
}

func (o *outcome) print(s shell.Streams, asJSON bool) error {
	if asJSON {
		text, err := json.MarshalIndent(o, "", "  ")
		if err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: err}
		}
		return shell.Print(s.Out, string(text)+"\n")
	}
	var b strings.Builder
	for _, f := range o.Findings {
		fmt.Fprintf(&b, "%s: %s\n", f.File, f.What)
		for _, line := range [...][2]string{{"", f.Costs}, {"--repair: ", f.Remedy}, {"done: ", f.Done}} {
			if line[1] != "" && !(line[0] == "--repair: " && f.Done != "") {
				fmt.Fprintf(&b, "  %s%s\n", line[0], line[1])
			}
		}
		for _, line := range f.Partial {
			fmt.Fprintf(&b, "    not in the records: %s\n", line)
		}
	}
	if o.Sound {
		fmt.Fprintf(&b, "%s is sound: %s of %s, %s of its state, %s in its log of seen URLs\n", o.Dir,
			shell.Counted(o.Files, "file"), shell.SizeText(o.Bytes), shell.Counted(o.Records, "record"), shell.Counted(int(o.Seen), "URL"))
	}
	return shell.Print(s.Out, report.Printable(b.String()))
}
