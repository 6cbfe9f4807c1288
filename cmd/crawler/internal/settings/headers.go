package settings

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"crawler/cmd/crawler/internal/shell"
	"crawler/fetch"
	"crawler/weburl"
)

// secretFields are the fields that say who one is, as net/http's client knows them when it
// follows a redirect, and the usual names of keys. Without a host they go to the seeds' origins.
var secretFields = []string{
	"Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "Www-Authenticate", "Proxy-Authenticate",
	"Api-Key", "X-Api-Key", "X-Auth-Token", "X-Access-Token", "Private-Token",
}

// forHost is a header line that begins with the host it is for; its parts are the scheme, the
// host, the port, the field's name and its value.
var forHost = regexp.MustCompile(`^(https?://)?(\[[^\]\s]*\]|[^\s:/\[\]]+)(:[0-9]+)?\s*:\s*([^\s:]+)\s*:(.*)$`)

// headerLine is what one --header says.
type headerLine struct {
	scheme, host string // host may have a port; without a host the line is for all, or for seeds
	name, value  string
}

const hostForm = `write it like -H "Accept-Language: en", or for one host like -H "https://example.com: Authorization: Bearer ..."`

// headers fills in which fields are sent where. The seeds must be in place.
func (o *Options) headers(cfg *fetch.Config) error {
	cfg.Header = http.Header{}
	ofSeeds := http.Header{}
	var hosts []string
	byHost := map[string]*fetch.OriginHeader{}
	for _, text := range o.Header {
		l, err := parseHeader(text)
		if err != nil {
			return err
		}
		if l.name == "Proxy-Authorization" && o.Proxy != "" {
			return shell.UsageError("write them into the proxy's URL: --proxy http://USER:PASSWORD@HOST:PORT", "--header %s does not reach the proxy of --proxy", l.name)
		}
		to := cfg.Header
		switch {
		case l.host != "":
			key := l.scheme + l.host
			if byHost[key] == nil {
				origins, err := l.origins(cfg.Guard.Seeds)
				if err != nil {
					return err
				}
				hosts = append(hosts, key)
				byHost[key] = &fetch.OriginHeader{Origins: origins, Header: http.Header{}}
			}
			to = byHost[key].Header
		case slices.Contains(secretFields, l.name):
			if o.ForeignSeeds {
				return shell.UsageError(fmt.Sprintf("name the host that it is for: -H \"https://HOST: %s: ...\"", l.name),
					"--header %s would go to the seeds, and those were given to another machine", l.name)
			}
			to = ofSeeds
		}
		to.Add(l.name, l.value)
	}
	if len(ofSeeds) > 0 {
		cfg.OriginHeaders = append(cfg.OriginHeaders, fetch.OriginHeader{Origins: origins(cfg.Guard.Seeds), Header: ofSeeds})
	}
	for _, key := range hosts {
		cfg.OriginHeaders = append(cfg.OriginHeaders, *byHost[key])
	}
	return nil
}

// origins are those of some URLs, each once.
func origins(urls []weburl.URL) []string {
	var all []string
	for _, u := range urls {
		all = append(all, u.Origin())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// parseHeader reads "Name: value" or "HOST: Name: value". A name with a dot is a host: no field
// in use has one. Errors do not show values, which may be secrets.
func parseHeader(text string) (headerLine, error) {
	name, value, ok := strings.Cut(text, ":")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return headerLine{}, shell.UsageError(hostForm, "--header %q has no name and colon", text)
	}
	m := forHost.FindStringSubmatch(text)
	if !isHost(text, name) {
		if m != nil && slices.Contains(secretFields, textproto.CanonicalMIMEHeaderKey(m[4])) {
			return headerLine{}, shell.UsageError(fmt.Sprintf("for the host write -H \"https://%s: %s: ...\", or http://", m[2]+m[3], m[4]),
				"--header: is %q a field, or the host that %s is for?", name, m[4])
		}
		return headerLine{name: textproto.CanonicalMIMEHeaderKey(name), value: strings.TrimSpace(value)}, nil
	}
	if m == nil || strings.EqualFold(m[4], "http") || strings.EqualFold(m[4], "https") {
		return headerLine{}, shell.UsageError(hostForm, "--header for %q: after the host, and no path, must come a colon, a name and a value", name)
	}
	return headerLine{
		scheme: m[1], host: m[2] + m[3],
		name: textproto.CanonicalMIMEHeaderKey(m[4]), value: strings.TrimSpace(m[5]),
	}, nil
}

// isHost reports whether a header line begins with a host; name is what stands before its first
// colon.
func isHost(text, name string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") ||
		strings.ContainsAny(name, ".[") || strings.EqualFold(name, "localhost")
}

// origins are where the line goes to: the origin that it names. Without a scheme that is the https
// one, and the http one too if it is a seed's, whose writer knows that it is not encrypted.
func (l *headerLine) origins(seeds []weburl.URL) ([]string, error) {
	at, err := weburl.Parse(cmp.Or(l.scheme, "https://") + l.host + "/")
	if err == nil && (strings.Contains(l.host, "*") || strings.Contains("."+l.host, "..")) {
		err = errors.New("no host has this name") // though a link's host may be spelt so
	}
	if err != nil {
		return nil, shell.UsageError("each host is named by itself, without * and without a path", "--header for %q: %w", l.host, err)
	}
	all := []string{at.Origin()}
	if l.scheme != "" {
		return all, nil
	}
	if at, err = weburl.Parse("http://" + l.host + "/"); err != nil {
		return nil, err
	}
	if slices.Contains(origins(seeds), at.Origin()) {
		all = append(all, at.Origin())
	}
	return all, nil
}
