package settings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"crawler/cmd/crawler/internal/shell"
	"crawler/weburl"
)

// maxBadSeeds is how many unusable lines are listed before the rest is only counted.
const maxBadSeeds = 10

// ReadSeeds takes the seeds from the arguments and from the seed file, and reports
// every one that cannot be used, with its place.
func ReadSeeds(args []string, file string, stdin io.Reader) ([]string, error) {
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
		l.add(fmt.Sprintf("argument %d", i+1), a)
	}
	for _, name := range files {
		if err := l.read(name, stdin); err != nil {
			return nil, err
		}
	}
	if len(l.bad) > 0 {
		return nil, l.complain()
	}
	if len(l.urls) == 0 {
		return nil, shell.UsageError("give URLs as arguments, or --seeds FILE: crawler crawl https://example.com/", "no seeds%s", in(file))
	}
	return l.urls, nil
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

type seedList struct {
	urls []string
	bad  []string
	more int
	file bool // a file has bad ones
}

func (l *seedList) add(place, s string) {
	u, err := weburl.Parse(s)
	switch {
	case err == nil && !hasUserInfo(s):
		l.urls = append(l.urls, u.String())
	case len(l.bad) == maxBadSeeds:
		l.more++
	case err == nil: // the password itself must not be repeated
		l.bad = append(l.bad, fmt.Sprintf("%s: %s with a user name: give credentials as -H \"Authorization: ...\"", place, u))
	default:
		l.bad = append(l.bad, fmt.Sprintf("%s: %v%s", place, err, shell.MeantURL(s)))
	}
}

// hasUserInfo reports whether a URL that parses names a user, which a canonical URL
// drops: dropping it silently would crawl what a stranger sees.
func hasUserInfo(s string) bool {
	_, rest, _ := strings.Cut(s, "://")
	authority, _, _ := strings.Cut(rest, "/")
	return strings.Contains(authority, "@")
}

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
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 2*weburl.MaxLen)
	n, bad := 0, len(l.bad)
	defer func() { l.file = l.file || len(l.bad) > bad }()
	for sc.Scan() {
		n++
		if line := seedLine(sc.Text()); line != "" {
			l.add(fmt.Sprintf("%s:%d", file, n), line)
		}
	}
	if err := sc.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line is longer than %d bytes", 2*weburl.MaxLen)
		}
		return shell.UsageError("a seed file has one URL a line", "%s:%d: %w", file, n+1, err)
	}
	return nil
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

func (l *seedList) complain() error {
	msg := strings.Join(l.bad, "\n  ")
	if l.more > 0 {
		msg += fmt.Sprintf("\n  and %d more", l.more)
	}
	hint := "a seed is an absolute http or https URL, such as https://example.com/"
	if l.file {
		hint += "; lines beginning with # are comments"
	}
	return shell.UsageError(hint, "unusable seeds:\n  %s", msg)
}
