// Package archivecmd has the verbs that read the archive of a crawl: get, list, grep, verify, wacz
// and serve. Each says on standard error how many chunks of the archive it has read of how many.
package archivecmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"crawler/archive"
	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/shell"
	"crawler/report"
	"crawler/weburl"
)

// New makes crawler archive.
func New(s shell.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "archive",
		Short: "Find, check, pack and replay what crawl --warc has kept",
		Long: `archive reads the web archive files that crawl --warc has written into DIR/archive, or
those in DIR that somebody else has. DIR may be that of a crawl that is running. A URL or a
word is found by reading few chunks of them: each has a filter, and those whose filter says no
are skipped.`,
		Example: `  crawler crawl https://example.com/ -o example --warc
  crawler archive get example https://example.com/about
  crawler archive grep filter example
  crawler archive wacz example -o example.wacz
  crawler archive serve example`,
		Args: shell.Exactly(0, "crawler archive --help lists the commands"),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newGet(s), newList(s), newGrep(s), newVerify(s), newIndex(s), newWACZ(s), newServe(s))
	return c
}

// told says on standard error what was read, and returns the damage that was met.
func told(s shell.Streams, out archive.Readout) error {
	fmt.Fprintln(s.Err, out.String())
	return damaged(out.Err())
}

func damaged(err error) error {
	if err == nil {
		return nil
	}
	return &shell.ExitError{Code: shell.ExitFailed, Err: errors.New(report.Printable(err.Error())), Hint: "what is not damaged was read; crawler archive verify lists all damage"}
}

// unread explains an error of reading an archive.
func unread(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, archive.ErrNoArchive):
		return shell.UsageError("name the directory of a crawl --warc, or one with .warc.gz files", "%w", err)
	case crawldir.Forbidden(err):
		return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err), Hint: "make it readable for you"}
	}
	var e *shell.ExitError
	if errors.As(err, &e) {
		return err
	}
	return &shell.ExitError{Code: shell.ExitFailed, Err: shell.Plain(err)}
}

// dirsOf are the directories of crawls, those of the shards of a cluster among them.
func dirsOf(args []string) []string {
	if set, err := crawldir.Shards(args...); err == nil && len(set.Dirs()) > 0 {
		return set.Dirs()
	}
	return args
}

func newGet(s shell.Streams) *cobra.Command {
	var record bool
	c := &cobra.Command{
		Use:   "get DIR... URL",
		Short: "Print what a URL answered, decoded",
		Long: `get prints the body that URL answered, decoded: without transfer and content codings.
Of several answers it takes the latest that succeeded, or the latest. What was
kept once for several URLs is found, too. With --record it prints the whole record,
with the answer as it came.`,
		Example: `  crawler archive get example https://example.com/about > about.html
  crawler archive get 2025 2026 https://example.com/about --record | less`,
		Args: shell.AtLeast(2, "name a crawl's directory and a URL: crawler archive get DIR... URL"),
		RunE: func(_ *cobra.Command, args []string) error {
			u, err := weburl.Parse(args[len(args)-1])
			if err != nil {
				return shell.UsageError("give an absolute http or https URL", "%w%s", err, shell.MeantURL(args[len(args)-1]))
			}
			return get(s, dirsOf(args[:len(args)-1]), u.String(), record)
		},
	}
	c.Flags().BoolVar(&record, "record", false, "print the whole record")
	return c
}

func get(s shell.Streams, dirs []string, url string, record bool) error {
	place, out, err := archive.Find(dirs, url)
	damage := told(s, out)
	if errors.Is(err, archive.ErrNone) {
		return shell.FirstError(damage, &shell.ExitError{Code: shell.ExitNothing, Err: err})
	}
	if err != nil {
		return unread(err)
	}
	w := bufio.NewWriterSize(sink{s.Out}, 64<<10)
	if record {
		err = place.WriteRecord(w)
	} else {
		var more archive.Readout
		more, err = archive.Answer(dirs, place, func(_ *archive.Place, m *archive.Message) error {
			if m.Status/100 != 2 {
				fmt.Fprintln(s.Err, report.Printable("status "+m.Reason))
			}
			if m.Cut {
				fmt.Fprintln(s.Err, "the body is not whole: it was cut off, or broke off")
			}
			_, err := io.Copy(w, m.Body)
			if m.Cut && errors.Is(err, io.ErrUnexpectedEOF) {
				err = nil
			}
			return err
		})
		if more.Read > 0 {
			fmt.Fprintln(s.Err, "for the record it refers to:", more.String())
		}
	}
	return shell.FirstError(unread(err), w.Flush(), damage)
}

// sink gives the errors of standard output their exit code.
type sink struct{ w io.Writer }

func (k sink) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil {
		err = shell.DiskError(err)
	}
	return n, err
}

func newList(s shell.Streams) *cobra.Command {
	var duplicates, asJSON bool
	c := &cobra.Command{
		Use:   "list DIR...",
		Short: "List the answers in an archive",
		Long: `list prints a line for each answer in the archive: date, status, bytes of its record,
media type, URL; "=" and another URL behind it if its body is that of the other's record and
was not kept again. With --duplicates only those are listed, and the pages of nearly the same text.
With --json a line is an object, with the file and the place in it.`,
		Example: `  crawler archive list example | awk '$2 == 404'
  crawler archive list example --duplicates`,
		Args: shell.AtLeast(1, "name a crawl's directory: crawler archive list DIR..."),
		RunE: func(_ *cobra.Command, args []string) error { return list(s, dirsOf(args), duplicates, asJSON) },
	}
	c.Flags().BoolVar(&duplicates, "duplicates", false, "list what has the same body as something else, or nearly the same text")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line")
	return c
}

func list(s shell.Streams, dirs []string, duplicates, asJSON bool) error {
	w := bufio.NewWriterSize(sink{s.Out}, 64<<10)
	out, err := archive.List(dirs, func(e archive.Entry) error {
		if duplicates && e.Of == "" {
			return nil
		}
		return print(w, asJSON, e, func() string {
			line := fmt.Sprintf("%s %3d %9d %s %s", e.Date, e.Status, e.Size, orDash(e.Media), e.URL)
			if e.Of != "" {
				line += " = " + e.Of
			}
			if e.Cut != "" {
				line += " (truncated: " + e.Cut + ")"
			}
			return line
		})
	})
	if err == nil && duplicates {
		err = archive.EachNear(dirs, func(n archive.Near) error {
			object := map[string]any{"type": "near", "url": n.URL, "like": n.Like, "resemblance": n.Resemblance}
			return print(w, asJSON, object, func() string { return fmt.Sprintf("%s ~ %s (resemblance %.2f)", n.URL, n.Like, n.Resemblance) })
		})
	}
	flushed := w.Flush()
	if err != nil {
		return unread(err)
	}
	return shell.FirstError(flushed, told(s, out))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// print writes one line.
func print(w io.Writer, asJSON bool, v any, text func() string) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(v)
	}
	_, err := fmt.Fprintln(w, report.Printable(text()))
	return err
}

func newGrep(s shell.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "grep WORD DIR...",
		Short: "List the pages whose text has a word",
		Long: `grep prints the URLs of the pages that hold WORD, one a line. Words are those that a
crawl counts: letters and digits in lower case, without markup. Pages are answers with a
status below 300.`,
		Example: "  crawler archive grep autovacuum pg\n  crawler archive grep filter 2024 2025 2026",
		Args:    shell.AtLeast(2, "name a word and a crawl's directory: crawler archive grep WORD DIR..."),
		RunE: func(_ *cobra.Command, args []string) error {
			word, err := archive.WordOf(args[0])
			if err != nil {
				return shell.UsageError("give one word; for several, ask for each", "%w", err)
			}
			return grep(s, word, args[0], dirsOf(args[1:]))
		},
	}
}

func grep(s shell.Streams, word uint64, text string, dirs []string) error {
	w := bufio.NewWriterSize(sink{s.Out}, 64<<10)
	n := 0
	out, err := archive.Grep(dirs, word, func(url string) error {
		n++
		_, err := fmt.Fprintln(w, report.Printable(url))
		return err
	})
	flushed := w.Flush()
	if err != nil {
		return unread(err)
	}
	damage := told(s, out)
	if flushed == nil && damage == nil && n == 0 {
		return &shell.ExitError{Code: shell.ExitNothing, Err: fmt.Errorf("no page holds the word %q", text)}
	}
	return shell.FirstError(flushed, damage)
}

func newVerify(s shell.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR...",
		Short: "Read an archive whole, and compare all digests",
		Long: `verify reads every record, checks that it is as the standard says and that its digests
are those of its bytes, and looks at the filters. It names what is damaged by its file and
the byte where the record begins.`,
		Example: "  crawler archive verify example",
		Args:    shell.AtLeast(1, "name a crawl's directory: crawler archive verify DIR..."),
		RunE:    func(_ *cobra.Command, args []string) error { return verify(s, dirsOf(args)) },
	}
}

func verify(s shell.Streams, dirs []string) error {
	var first error
	for _, dir := range dirs {
		v, err := archive.Verify(dir)
		if err != nil {
			return unread(err)
		}
		if err := v.Err(); err != nil {
			first = shell.FirstError(first, &shell.ExitError{Code: shell.ExitFailed, Err: errors.New(report.Printable(err.Error()))})
			continue
		}
		text := fmt.Sprintf("%s is sound: %s in %s, %s; %s compared", dir, shell.Counted(v.Records, "record"), shell.Counted(v.Files, "file"), shell.SizeText(v.Bytes), shell.Counted(v.Digests, "digest"))
		if v.Skipped > 0 {
			text += fmt.Sprintf(", %s too large for that", shell.Counted(v.Skipped, "payload"))
		}
		if v.Torn > 0 {
			text += "; its last record is not whole: the crawl is running, or was killed"
		}
		if err := shell.Print(s.Out, text+"\n"); err != nil {
			return err
		}
	}
	return first
}

func newIndex(s shell.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "index DIR",
		Short: "Make the filters of an archive that somebody else has made",
		Long: `index reads the .warc.gz files in DIR, which another program has written, and writes
filters beside them (urls.bin, words.bin): then get and grep read few chunks of these, too. A
crawl keeps the filters of its own archive.`,
		Example: "  wget --recursive --warc-file=files/site https://example.com/\n  crawler archive index files",
		Args:    shell.Exactly(1, "name the directory of the files: crawler archive index DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := archive.MakeFilters(args[0])
			switch {
			case errors.Is(err, archive.ErrOwn):
				return shell.UsageError("get and grep use them already", "%w", err)
			case err != nil:
				return unread(err)
			}
			return shell.FirstError(damaged(out.Err()), shell.Print(s.Out, fmt.Sprintf("%s: filters of %s written\n", args[0], shell.SizeText(out.Bytes))))
		},
	}
}
