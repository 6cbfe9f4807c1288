package settings

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/weburl"
)

const (
	// maxBadSeeds is how many unusable lines are listed with what is wrong.
	maxBadSeeds = 10
	// maxBadRanges is how many runs of further ones are listed by their numbers; the rest is
	// only counted.
	maxBadRanges = 40
)

// Seeds are what a crawl begins with.
type Seeds struct {
	URLs []string // absolute, or bare as crawl.ParseSeed reads them
	Bare int      // of them
	// Bad says what lines of files were skipped because they are no seeds, "" for none.
	Bad string
}

// ReadSeeds takes the seeds from the arguments and from the seed file. An argument that cannot be
// used is an error; a line of a file is skipped, unless all of them are.
func ReadSeeds(args []string, file string, stdin io.Reader) (Seeds, error) {
	var l seedList
	files := []string{}
	if file != "" {
		files = append(files, file)
	}
	for i, a := range args {
		if a == "-" && file != "-" {
			files = append(files, a)
			file = a
			continue
		}
		l.argument(i+1, a)
	}
	if len(l.bad) > 0 {
		return Seeds{}, shell.UsageError("a seed is a URL or a host, such as https://example.com/ or example.com", "unusable seeds:\n  %s", strings.Join(l.bad, "\n  "))
	}
	for _, name := range files {
		if err := l.read(name, stdin); err != nil {
			return Seeds{}, err
		}
	}
	switch {
	case len(l.Seeds.URLs) > 0:
		l.Bad = l.skipped()
	case l.lines > 0:
		return Seeds{}, shell.UsageError("a line is a URL or a host, such as https://example.com/ or example.com, or a rank and a host: 1,example.com; # begins a comment", "no seeds%s: %s", in(file), l.skipped())
	default:
		return Seeds{}, shell.UsageError("give URLs as arguments, or --seeds FILE: crawler crawl https://example.com/", "no seeds%s", in(file))
	}
	return l.Seeds, nil
}

func in(file string) string {
	switch file {
	case "":
		return ""
	case "-":
		return " on standard input"
	}
	return " in " + file
}

// seedList collects seeds.
type seedList struct {
	Seeds
	bad   []string // with what is wrong, the first
	more  ranges   // numbers of others
	lines int      // unusable lines of files
}

// add takes a seed, or returns what is wrong with it.
func (l *seedList) add(s string) (bad string) {
	u, bare, err := crawl.ParseSeed(weburl.Options{}, s)
	switch {
	case err == nil && !hasUserInfo(s):
		if l.URLs = append(l.URLs, s); bare {
			l.Bare++
		} else {
			l.URLs[len(l.URLs)-1] = u.String()
		}
		return ""
	case err == nil: // the password itself must not be repeated
		return fmt.Sprintf("%s with a user name: give credentials as -H \"Authorization: ...\"", u)
	case strings.Contains(s, "@"):
		return "a mail address, or a URL with a user name, is no seed"
	}
	if errors.Is(err, weburl.ErrRelative) {
		return fmt.Sprintf("%q is neither a URL nor a host", s)
	}
	return err.Error()
}

// argument takes a seed of the command line.
func (l *seedList) argument(n int, s string) {
	bad := ""
	if info, err := os.Stat(s); err == nil && info.Mode().IsRegular() {
		bad = fmt.Sprintf("%s is a file; did you mean --seeds %s?", s, shell.Quoted(s))
	} else if bad = l.add(s); bad != "" {
		bad += shell.MeantURL(s)
	}
	if bad != "" {
		l.bad = append(l.bad, fmt.Sprintf("argument %d: %s", n, bad))
	}
}

// hasUserInfo reports whether a URL that parses names a user, which a canonical URL
// drops: dropping it silently would crawl what a stranger sees.
func hasUserInfo(s string) bool {
	_, rest, _ := strings.Cut(s, "://")
	authority, _, _ := strings.Cut(rest, "/")
	return strings.Contains(authority, "@")
}

// read takes the seeds of a file, which may be compressed by gzip whatever its name.
func (l *seedList) read(file string, stdin io.Reader) error {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return shell.UsageError("check the path after --seeds", "seed file: %w", err)
		}
		defer f.Close()
		r = f
	}
	in := bufio.NewReader(r)
	text := io.Reader(in)
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if text, err = gzip.NewReader(in); err != nil {
			return shell.UsageError("gzip -t says whether the file is whole", "%s: %w", file, err)
		}
	}
	// Editors and shells of Windows write UTF-16, with a mark at the beginning.
	sc := bufio.NewScanner(transform.NewReader(text, unicode.BOMOverride(transform.Nop)))
	sc.Buffer(nil, 2*weburl.MaxLen)
	n := 0
	for sc.Scan() {
		n++
		l.line(file, n, sc.Text())
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line is longer than %d bytes", 2*weburl.MaxLen)
		}
		return shell.UsageError("a seed file has one URL or host a line, as text or compressed by gzip", "%s:%d: %w", file, n+1, err)
	}
	return nil
}

// line takes one line of a file.
func (l *seedList) line(file string, n int, text string) {
	line := seedLine(text)
	if line == "" {
		return
	}
	bad := l.add(unranked(line))
	if bad == "" {
		return
	}
	if l.lines++; len(l.bad) < maxBadSeeds {
		l.bad = append(l.bad, fmt.Sprintf("%s:%d: %s", file, n, bad))
	} else {
		l.more.add(n)
	}
}

// seedLine is a line without its comment: # at the beginning or after white space,
// where it cannot be a fragment's.
func seedLine(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	for i, c := range s {
		if c == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = s[:i]
			break
		}
	}
	return strings.TrimSpace(s)
}

// The lines of lists of popular sites: "1,example.com", "1<tab>example.com" and, with origins,
// "https://example.com,1000".
var (
	rankFirst = regexp.MustCompile(`^"?\d+"?\s*[,;\t]\s*"?([^",;\t]+)"?$`)
	rankLast  = regexp.MustCompile(`^"?(https?://[^/",;\t]+/?)"?\s*[,;\t]\s*"?\d+"?$`)
)

// unranked is what a line of such a list names, or the line itself.
func unranked(line string) string {
	for _, ranked := range []*regexp.Regexp{rankFirst, rankLast} {
		if m := ranked.FindStringSubmatch(line); m != nil {
			return strings.TrimSpace(m[1])
		}
	}
	return line
}

// skipped says which lines are no seeds, "" if all are.
func (l *seedList) skipped() string {
	if l.lines == 0 {
		return ""
	}
	text := fmt.Sprintf("%s skipped, no seed:\n  %s", shell.Counted(l.lines, "line"), strings.Join(l.bad, "\n  "))
	if l.more.n > 0 {
		text += fmt.Sprintf("\n  and %s more: %s", shell.Commas(l.more.n), l.more.text())
	}
	return text
}

// ranges are ascending numbers, as runs of neighbours; of several files one after the other.
type ranges struct {
	n    int
	runs [][2]int
	cut  bool // there were more than maxBadRanges
}

func (r *ranges) add(n int) {
	r.n++
	last := len(r.runs) - 1
	switch {
	case r.cut:
	case last >= 0 && r.runs[last][1] == n-1:
		r.runs[last][1] = n
	case len(r.runs) == maxBadRanges:
		r.cut = true
	default:
		r.runs = append(r.runs, [2]int{n, n})
	}
}

// text lists them like "lines 3, 5-9".
func (r *ranges) text() string {
	var parts []string
	for _, run := range r.runs {
		if run[0] == run[1] {
			parts = append(parts, fmt.Sprint(run[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", run[0], run[1]))
		}
	}
	if r.cut {
		parts = append(parts, "...")
	}
	return "lines " + strings.Join(parts, ", ")
}
