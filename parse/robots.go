package parse

import "strings"

// directives obeys the value of a robots meta tag: names separated by commas
// or spaces. Unknown ones are ignored.
func (p *Page) directives(value []byte) {
	for len(value) > 0 {
		n := 0
		for n < len(value) && value[n] != ',' && value[n] != ';' && !isSpace(value[n]) {
			n++
		}
		p.directive(value[:n])
		value = value[min(n+1, len(value)):]
	}
}

func (p *Page) directive(name []byte) {
	switch {
	case equalFold(name, "noindex"):
		p.NoIndex = true
	case equalFold(name, "nofollow"):
		p.NoFollow = true
	case equalFold(name, "none"):
		p.NoIndex, p.NoFollow = true, true
	}
}

// robotsTags obeys X-Robots-Tag headers. A header is a list of directives; a
// "name:" in front of one addresses it and those behind it to that robot.
func (p *Parser) robotsTags(values []string) {
	for _, v := range values {
		ours := true
		for part := range strings.SplitSeq(v, ",") {
			name, rest, addressed := strings.Cut(part, ":")
			if name = strings.TrimSpace(name); addressed && !hasValue(name) {
				ours = name == "*" || strings.EqualFold(name, p.opt.Robot) || strings.EqualFold(name, "robots")
				part = rest
			}
			if ours {
				p.page.directives([]byte(part))
			}
		}
	}
}

// hasValue reports whether a directive is written "name: value", and is no
// robot's name.
func hasValue(name string) bool {
	switch strings.ToLower(name) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	// The time in "unavailable_after: 1 Jan 2030 12:00:00 GMT" has colons too.
	return strings.ContainsAny(name, " \t")
}
