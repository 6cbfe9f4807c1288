package shell

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"crawler/weburl"
)

// Counted is a number with its noun.
func Counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Commas(n) + " " + noun
}

// Commas writes a number in groups of three digits.
func Commas(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// SizeText is a number of bytes in KiB, MiB or GiB.
func SizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

// Clip shortens to n characters; host names are ASCII.
func Clip(s string, n int) string {
	switch {
	case len(s) <= n:
		return s
	case n <= 3:
		return s[:max(n, 0)]
	}
	return s[:n-3] + "..."
}

// Fold breaks a line between words so that no part is wider than n characters; what is one word is
// cut.
func Fold(line string, n int) (parts []string) {
	if len(line) <= n {
		return []string{line}
	}
	part := ""
	for _, w := range strings.Fields(line) {
		switch w = Clip(w, n); {
		case part == "":
			part = w
		case len(part)+1+len(w) > n:
			parts = append(parts, part)
			part = w
		default:
			part += " " + w
		}
	}
	return append(parts, part)
}

// Quoted is a path as a shell reads it.
func Quoted(path string) string {
	plain := func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.ContainsRune("/._-+,:=@%", c)
	}
	if path != "" && path[0] != '-' && strings.IndexFunc(path, func(c rune) bool { return !plain(c) }) < 0 {
		return path
	}
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// MeantURL offers the URL that was probably meant.
func MeantURL(s string) string {
	if s == "true" || s == "false" {
		return "; a flag takes this word after =: write --durable=" + s
	}
	u, err := weburl.Parse("http://" + s)
	if err != nil || strings.Contains(s, "://") {
		return ""
	}
	guess := u.String()
	switch _, err := netip.ParseAddr(u.Hostname()); {
	case err == nil || u.Hostname() == "localhost":
	case !strings.Contains(u.Hostname(), "."):
		return ""
	case u.Port() == "":
		guess = "https" + strings.TrimPrefix(guess, "http")
	}
	return "; did you mean " + guess + "?"
}
