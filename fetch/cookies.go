package fetch

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

const (
	maxCookies    = 10_000   // in one file
	maxCookieLine = 16 << 10 // bytes
)

// LoadCookies reads a cookies.txt file, the form that browser extensions, curl
// and wget write, into a jar for Config.Jar. Each line has seven fields
// separated by tabs: domain, whether subdomains get it too, path, whether only
// https gets it, expiry in Unix seconds (0: with the session), name, value.
// Lines that begin with # are comments, except for the prefix #HttpOnly_.
// Expired cookies are left out. Errors name the line.
func LoadCookies(r io.Reader) (http.CookieJar, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCookieLine)
	count := 0
	for n := 1; lines.Scan(); n++ {
		line, httpOnly := strings.CutPrefix(lines.Text(), "#HttpOnly_")
		line = strings.TrimRight(line, "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at, cookie, err := parseCookie(line)
		if err != nil {
			return nil, fmt.Errorf("cookies line %d: %w", n, err)
		}
		if count++; count > maxCookies {
			return nil, fmt.Errorf("cookies line %d: more than %d cookies", n, maxCookies)
		}
		cookie.HttpOnly = httpOnly
		jar.SetCookies(at, []*http.Cookie{cookie})
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	return jar, nil
}

// parseCookie returns the cookie of a line and a URL that may set it.
func parseCookie(line string) (*url.URL, *http.Cookie, error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 {
		return nil, nil, fmt.Errorf("%d fields separated by tabs, want 7", len(f))
	}
	subdomains, err1 := parseFlag(f[1])
	secure, err2 := parseFlag(f[3])
	if err1 != nil || err2 != nil {
		return nil, nil, fmt.Errorf("fields 2 and 4 must be TRUE or FALSE")
	}
	expires, err := strconv.ParseInt(f[4], 10, 64)
	if err != nil {
		return nil, nil, fmt.Errorf("expiry %q is no number", f[4])
	}
	host := strings.ToLower(strings.TrimPrefix(f[0], "."))
	if host == "" || f[5] == "" {
		return nil, nil, fmt.Errorf("domain and name must not be empty")
	}
	cookie := &http.Cookie{Name: f[5], Value: f[6], Path: f[2], Secure: secure}
	if subdomains {
		cookie.Domain = host
	}
	if expires > 0 {
		cookie.Expires = time.Unix(expires, 0)
	}
	if err := cookie.Valid(); err != nil {
		return nil, nil, err
	}
	if err := keepsPromise("https", cookie); err != nil {
		return nil, nil, err
	}
	return &url.URL{Scheme: "https", Host: host, Path: f[2]}, cookie, nil
}

func parseFlag(s string) (bool, error) {
	switch strings.ToUpper(s) {
	case "TRUE":
		return true, nil
	case "FALSE":
		return false, nil
	default:
		return false, fmt.Errorf("%q is neither TRUE nor FALSE", s)
	}
}
