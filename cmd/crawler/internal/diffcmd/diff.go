// Package diffcmd has crawler diff, which compares two crawls, here or on other machines.
package diffcmd

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
	"crawler/diff"
	"crawler/report"
)

// options are the flags.
type options struct {
	what, method shell.Choice
	common       bool
	json         bool
	serve        bool
	ssh, crawler string
	patience     shell.Seconds
}

// New makes crawler diff.
func New(s shell.Streams) *cobra.Command {
	o := &options{
		what:   shell.Choice{Value: diff.Pages.String(), Of: diff.Whats()},
		method: shell.Choice{Value: diff.Rateless.String(), Of: diff.Methods()},
	}
	o.patience = shell.Seconds(10 * time.Minute)
	c := &cobra.Command{
		Use:   "diff A B",
		Short: "Say what one crawl has and another lacks, over a network in few bytes",
		Long: `diff compares the crawls in the directories A and B: "- URL" is only in A, "+ URL"
only in B, "~ URL" is in both with another text (--what content). What was compared,
and how many bytes and rounds it took, is printed on standard error.

A or B may be on another machine, as HOST:DIR. crawler diff --serve DIR is run there by
ssh, and only reads. The two sides exchange some 20 bytes for each URL in which they differ,
and those URLs, however many they have in common. docs/diff.md describes the methods.`,
		Example: `  crawler diff example-may example-june
  crawler diff --what content example-may example-june
  crawler diff example mirror.example.org:crawls/example
  crawler diff --common --json mine theirs | jq .common`,
		Args: func(c *cobra.Command, args []string) error {
			if o.serve {
				return shell.Exactly(1, "name one crawl's directory: crawler diff --serve DIR")(c, args)
			}
			return shell.Exactly(2, "name two crawls' directories: crawler diff A B")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer release()
			context.AfterFunc(ctx, release) // a second Ctrl-C quits at once
			err := o.run(ctx, s, args)
			if err != nil && ctx.Err() != nil {
				err = &shell.ExitError{Code: shell.ExitInterrupted, Err: errors.New("interrupted; nothing was printed")}
			}
			return troubled(err)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.Var(&o.what, "what", "compare `SET`: pages, known (what was fetched, refused or is queued) or content (pages with their text)")
	f.Var(&o.method, "method", "find the difference by `METHOD`: rateless, ranges, merkle, bloom or digest; the last three may miss some")
	f.BoolVar(&o.common, "common", false, "print what both have instead")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	f.BoolVar(&o.serve, "serve", false, "answer for the crawl in DIR on standard input and output; diff runs this on the other machine")
	f.StringVar(&o.ssh, "ssh", "ssh", "reach other machines by `PROGRAM`, called with its words, --, the host and a command")
	f.StringVar(&o.crawler, "crawler", "crawler", "run `COMMAND` there, which must be crawler of this version")
	f.Var(&o.patience, "patience", "give up when another machine sends nothing for `TIME`; 0 waits for ever")
	shell.PlainErrors(f)
	return c
}

// troubled gives all errors the exit code that diff has for them: 1 says that the crawls differ.
func troubled(err error) error {
	var e *shell.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return &shell.ExitError{Code: shell.ExitUsage, Err: err}
	case e.Code == shell.ExitInterrupted || e.Err == nil:
		return err
	}
	return &shell.ExitError{Code: shell.ExitUsage, Err: e.Err, Hint: e.Hint}
}

func (o *options) run(ctx context.Context, s shell.Streams, args []string) error {
	if o.serve {
		return diff.Serve(struct {
			io.Reader
			io.Writer
		}{s.In, s.Out}, directory(args[0]))
	}
	program := strings.Fields(o.ssh)
	if len(program) == 0 {
		return shell.UsageError("leave it out for ssh", "--ssh names no program")
	}
	var places [2]place
	for i, arg := range args {
		var err error
		if places[i], err = parsePlace(arg); err != nil {
			return err
		}
	}
	c := &comparison{options: o, places: places}
	result, err := c.compare(ctx, program)
	if err != nil {
		return err
	}
	if err := c.print(s, result); err != nil {
		return err
	}
	if !result.Equal {
		return &shell.ExitError{Code: shell.ExitFailed} // which is no failure
	}
	return nil
}

// comparison is one run of crawler diff.
type comparison struct {
	*options
	places [2]place
}

// compare connects to the sides and compares them.
func (c *comparison) compare(ctx context.Context, program []string) (*diff.Result, error) {
	var peers [2]*diff.Peer
	var connections [2]*connection
	for i, at := range c.places {
		if at.host == "" {
			peers[i] = diff.Local(interruptible{directory(at.dir), ctx})
			continue
		}
		conn, err := dial(ctx, at, program, c.crawler, time.Duration(c.patience))
		if err != nil {
			if connections[0] != nil {
				connections[0].close()
			}
			return nil, err
		}
		peers[i], connections[i] = diff.Remote(conn), conn
	}
	var seed [8]byte
	rand.Read(seed[:])
	result, err := diff.Compare(peers[0], peers[1], diff.Config{
		What: diff.What(slices.Index(diff.Whats(), c.what.Value)), Method: diff.Method(slices.Index(diff.Methods(), c.method.Value)),
		Common: c.common, Seed: binary.LittleEndian.Uint64(seed[:]),
	})
	var failed *diff.SideError
	for i, conn := range connections {
		switch {
		case conn == nil:
		case err != nil && errors.As(err, &failed) && failed.Side == i:
			err = conn.explain(failed.Err)
		default:
			conn.close()
		}
	}
	return result, err
}

// print prints the lines, or the JSON, and then the summary.
func (c *comparison) print(s shell.Streams, r *diff.Result) error {
	w := bufio.NewWriterSize(s.Out, 1<<16)
	if c.json {
		c.writeJSON(w, r)
	} else {
		writeLines(w, r)
	}
	if err := w.Flush(); err != nil {
		return shell.DiskError(err)
	}
	io.WriteString(s.Err, report.Printable(c.summary(r)))
	return nil
}

// line is a line of the output.
type line struct {
	sign string
	url  string
}

func writeLines(w *bufio.Writer, r *diff.Result) {
	var lines []line
	for _, l := range []struct {
		sign  string
		items []diff.Item
	}{{"- ", r.OnlyA}, {"+ ", r.OnlyB}, {"~ ", r.Changed}, {"", r.Common}} {
		for _, i := range l.items {
			lines = append(lines, line{l.sign, i.URL.String()})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.url, b.url) })
	for _, l := range lines {
		w.WriteString(report.Printable(l.sign + l.url + "\n"))
	}
}

// found is the JSON form of a result.
type found struct {
	What     string       `json:"what"`
	Method   string       `json:"method"`
	A        jsonSide     `json:"a"`
	B        jsonSide     `json:"b"`
	Equal    bool         `json:"equal"`
	Complete bool         `json:"complete"`
	OnlyA    []string     `json:"only_a"`
	OnlyB    []string     `json:"only_b"`
	Changed  []string     `json:"changed,omitempty"`
	Common   []string     `json:"common,omitempty"`
	Traffic  diff.Traffic `json:"traffic"`
}

type jsonSide struct {
	Crawl   string `json:"crawl"`
	URLs    int    `json:"urls"`
	Partial bool   `json:"partial,omitempty"`
}

func (c *comparison) writeJSON(w *bufio.Writer, r *diff.Result) {
	texts := func(items []diff.Item) []string {
		list := make([]string, len(items))
		for i := range items {
			list[i] = items[i].URL.String()
		}
		return list
	}
	f := found{
		What: c.what.Value, Method: c.methodName(),
		A:     jsonSide{c.places[0].String(), r.A.Items, r.A.Partial},
		B:     jsonSide{c.places[1].String(), r.B.Items, r.B.Partial},
		Equal: r.Equal, Complete: r.Complete,
		OnlyA: texts(r.OnlyA), OnlyB: texts(r.OnlyB), Changed: texts(r.Changed), Common: texts(r.Common),
		Traffic: r.Traffic,
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		panic("crawler diff: " + err.Error()) // strings and numbers
	}
	w.WriteString(report.Printable(string(text)) + "\n")
}

func (c *comparison) methodName() string {
	if c.common {
		return "filter"
	}
	return c.method.Value
}

// nouns are what the sets consist of.
var nouns = map[string]string{diff.Pages.String(): "page", diff.Known.String(): "URL", diff.Content.String(): "page"}

// summary says what was compared, what was found, and what it took.
func (c *comparison) summary(r *diff.Result) string {
	var b strings.Builder
	for i, side := range []diff.Summary{r.A, r.B} {
		fmt.Fprintf(&b, "%c: %s, %s\n", 'A'+i, c.places[i], shell.Counted(side.Items, nouns[c.what.Value]))
		if side.Partial {
			b.WriteString("   it kept no queue: what it had not fetched or refused is not known\n")
		}
	}
	switch {
	case c.common:
		fmt.Fprintf(&b, "%s in both", shell.Commas(len(r.Common)))
	default:
		fmt.Fprintf(&b, "%s only in A, %s only in B", shell.Commas(len(r.OnlyA)), shell.Commas(len(r.OnlyB)))
		if c.what.Value == diff.Content.String() {
			fmt.Fprintf(&b, ", %s with another text", shell.Commas(len(r.Changed)))
		}
	}
	t := r.Traffic
	fmt.Fprintf(&b, "; %s: %s, %s bytes", c.methodName(), shell.Counted(t.Rounds, "round"), shell.Commas(t.Sent+t.Received))
	if t.Texts > 0 {
		fmt.Fprintf(&b, ", %s of them for the URLs", shell.Commas(t.Texts))
	}
	b.WriteByte('\n')
	if !r.Complete {
		fmt.Fprintf(&b, "There are more: --method %s has not found all; --method %s does\n", c.method.Value, diff.Rateless)
	}
	return b.String()
}
