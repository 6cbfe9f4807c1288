package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/internal/binform"
)

// Refused is a site that answers, and refuses us.
type Refused struct {
	Site      string         `json:"site"`
	ByStatus  map[string]int `json:"by_status"`           // pages
	Challenge string         `json:"challenge,omitempty"` // what stood before the latest
	Robots    string         `json:"robots,omitempty"`    // "challenge": one hides robots.txt
}

// refusal is what is known of one site that refuses us, or has a page for robots.txt.
type refusal struct {
	status    map[int]int
	challenge string
	robots    fetch.RobotsSource // RobotsChallenge, RobotsPage or ""
	unsaved   bool               // it is in unsaved.refusals
}

// maxRefusing is how many sites are told apart; the others share a line.
const maxRefusing = 1000

// refuses reports whether an answer refuses us, rather than being missing or in trouble: it wants
// money, the law forbids it, or something wants to know whether a person is there. One that may
// be had later is given up, which is counted by itself.
func refuses(status int, challenge string, cutOff bool) bool {
	if cutOff || crawl.MayPass(status) {
		return false
	}
	return status == 402 || status == 451 || challenge != ""
}

// refusing returns what is known of a host, to be changed.
func (r *Recorder) refusing(host string) *refusal {
	f, ok := r.refusals[host]
	if !ok && len(r.refusals) >= maxRefusing {
		host = OtherSites
		f, ok = r.refusals[host]
	}
	if !ok {
		f = &refusal{status: map[int]int{}}
		r.refusals[host] = f
	}
	if r.unsaved.on && !f.unsaved {
		f.unsaved = true
		r.unsaved.refusals = append(r.unsaved.refusals, host)
	}
	return f
}

// refusedPage counts an answer that refuses us.
func (r *Recorder) refusedPage(v *crawl.Visit) {
	f := r.refusing(v.URL.Host())
	f.status[v.Status]++
	if v.Challenge != "" {
		f.challenge = v.Challenge
	}
}

// Robots notes whether the robots.txt that a visit has read is a page; see crawl.RobotsRecorder.
func (r *Recorder) Robots(v *crawl.Visit) {
	source, host := v.Rules.Source(), v.URL.Host()
	isPage := source == fetch.RobotsChallenge || source == fetch.RobotsPage
	if known := r.refusals[host]; !isPage && (known == nil || known.robots == "") {
		return
	}
	if !isPage {
		source = ""
	}
	r.refusing(host).robots = source
}

// cutRefusals puts the sites that have changed.
func (r *Recorder) cutRefusals(b crawl.Batch) {
	u := &r.unsaved
	for _, host := range u.refusals {
		f := r.refusals[host]
		v := appendNumbers(u.begin(), f.status)
		u.value = binform.AppendText(binform.AppendText(v, f.challenge), string(f.robots))
		b.Put(u.named(keyRefusal, host), u.value)
		f.unsaved = false
	}
	u.refusals = u.refusals[:0]
}

func (r *Recorder) readRefusal(host string, value []byte) error {
	f := open(value)
	r.refusals[host] = &refusal{status: readCounts(f, f.number), challenge: f.text(), robots: fetch.RobotsSource(f.text())}
	return f.close()
}

// refused lists the sites that refuse us, most pages first, and those whose robots.txt is a page.
func (r *Recorder) refused() (refused []Refused, pages []string) {
	refused, pages = []Refused{}, []string{}
	for host, f := range r.refusals {
		if f.robots == fetch.RobotsPage {
			pages = append(pages, host)
		}
		if len(f.status) == 0 && f.robots != fetch.RobotsChallenge {
			continue
		}
		one := Refused{Site: host, ByStatus: keyed(f.status, strconv.Itoa), Challenge: f.challenge}
		if f.robots == fetch.RobotsChallenge {
			one.Robots = string(f.robots)
		}
		refused = append(refused, one)
	}
	slices.Sort(pages)
	sortRefused(refused)
	return refused, pages
}

// sortRefused puts those with most pages first.
func sortRefused(list []Refused) {
	slices.SortFunc(list, func(a, b Refused) int {
		return cmp.Or(cmp.Compare(total(b.ByStatus), total(a.ByStatus)), cmp.Compare(a.Site, b.Site))
	})
}

// maxShownRefused is how many sites of each kind report.txt has.
const maxShownRefused = 10

// refusedSites lists the sites that refuse us, and those that have no robots.txt but a page.
func (r *Report) refusedSites(p *page) {
	if len(r.Refused) > 0 {
		p.head("Refused to us")
	}
	for i, s := range r.Refused {
		if i == maxShownRefused {
			p.line("  and %s%s", counted(len(r.Refused)-i, "more site"), p.in(JSONFile))
			break
		}
		p.wrapped("  ", shorten(s.Site, siteWidth)+": "+s.how())
	}
	if len(r.RobotsPages) > 0 {
		shown := r.RobotsPages[:min(len(r.RobotsPages), maxShownRefused)]
		text := strings.Join(shown, ", ")
		if more := len(r.RobotsPages) - len(shown); more > 0 {
			text += fmt.Sprintf(", and %d more%s", more, p.in(JSONFile))
		}
		p.head("robots.txt is a web page, so it has no rules")
		p.wrapped("  ", text)
	}
}

// how says how a site refuses us.
func (s *Refused) how() string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(s.ByStatus)) {
		parts = append(parts, fmt.Sprintf("%s answered %s", counted(s.ByStatus[status], "page"), status))
	}
	if s.Challenge != "" {
		parts = append(parts, "challenge of "+s.Challenge)
	}
	if s.Robots != "" {
		parts = append(parts, "robots.txt is behind a challenge")
	}
	return strings.Join(parts, ", ")
}
