package fetch

import "bytes"

// Decision says how a robots.txt decides about a URL, and by what.
type Decision struct {
	Allowed bool
	Status  string // as Rules.Why has it
	Line    int    // of the rule that decides, from 1 on; 0 if none does
	Rule    string // that line, without blanks around it
}

// Explain decides as Rules.Allowed of ParseRobots(body, token) does, and names the line that does.
// It reads the file twice. Of equal rules the first is named.
func Explain(body []byte, token, requestURI string) Decision {
	p := robotsParser{token: token}
	eachLine(body, func(_ int, line []byte) { p.line(line) })
	rules := p.rules()
	d := Decision{}
	d.Allowed, d.Status = rules.Why(requestURI)
	decides, ok := rules.deciding(requestURI)
	if !ok {
		return d
	}
	again := robotsParser{token: token}
	eachLine(body, func(n int, line []byte) {
		again.line(line)
		g := &again.own
		if !p.own.seen {
			g = &again.all
		}
		if d.Line == 0 && len(g.patterns.spans) > 0 {
			if only, _ := g.patterns.compile(); only[0] == decides {
				d.Line, d.Rule = n, string(trimBlank(line))
			}
		}
		again.own.patterns, again.all.patterns = patterns{}, patterns{}
	})
	return d
}

// deciding returns the rule that decides about a URL, if one does.
func (r *Rules) deciding(requestURI string) (rule, bool) {
	if requestURI == robotsPath || r.verdict != byRules {
		return rule{}, false
	}
	t := newTarget(requestURI)
	for i := range r.rules {
		if r.rules[i].matches(&t) {
			return r.rules[i], true
		}
		if t.work < 0 {
			break
		}
	}
	return rule{}, false
}

// eachLine calls fn for each line, as an editor numbers them.
func eachLine(body []byte, fn func(n int, line []byte)) {
	body = trimBOM(body)
	for n := 1; len(body) > 0; n++ {
		end := bytes.IndexAny(body, "\r\n")
		if end < 0 {
			end = len(body)
		}
		fn(n, body[:end])
		if bytes.HasPrefix(body[end:], []byte("\r\n")) {
			end++
		}
		body = body[min(end+1, len(body)):]
	}
}
