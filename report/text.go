package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"crawler/crawl"
	"crawler/gate"
)

// The text report is for a terminal of 80 columns.
const (
	width     = 80
	maxRows   = 25 // sites shown; report.json has them all
	siteWidth = 32

	maxFailures = 2 // of a crawl without a page
)

// Text returns the report as text.
func (r *Report) Text() string {
	p := &page{noFiles: r.NoFiles}
	if r.Pages.Fetched == 0 && (len(r.Failures) > 0 || r.Skipped[string(gate.NotSampled)] > 0) {
		r.nothing(p)
		return p.String()
	}
	r.headline(p)
	if r.many() { // the sites are one line each of thousands, so what became of all comes first
		r.pageTable(p)
		reasons(p, "Errors", r.Errors)
		r.givenUp(p)
		r.refusedSites(p)
		r.brokenLinks(p)
		reasons(p, "Skipped, by decision", r.Skipped)
		r.traps(p)
		r.siteTable(p)
		r.sampledHosts(p)
		r.nearPages(p)
	} else {
		r.siteTable(p)
		r.sampledHosts(p)
		r.pageTable(p)
		r.nearPages(p)
		r.brokenLinks(p)
		r.refusedSites(p)
		reasons(p, "Skipped, by decision", r.Skipped)
		r.traps(p)
		reasons(p, "Errors", r.Errors)
		r.givenUp(p)
	}
	r.filter(p)
	r.costs(p)
	return p.String()
}

// manySites is how many sites make a report begin with what became of all of them.
const manySites = 20

func (r *Report) many() bool { return r.siteNumber() > manySites }

// siteNumber returns how many sites brought pages.
func (r *Report) siteNumber() int {
	n := len(r.Sites)
	if n > 0 && r.Sites[n-1].Site == OtherSites {
		n += r.OtherSites - 1
	}
	return n
}

// page collects lines.
type page struct {
	strings.Builder
	noFiles bool
}

// in says which file has more, unless there are none.
func (p *page) in(file string) string {
	if p.noFiles {
		return ""
	}
	return ", in " + file
}

func (p *page) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(Printable(fmt.Sprintf(format, args...)), " "))
	p.WriteByte('\n')
}

func (p *page) head(title string) { p.line("\n%s\n%s", title, strings.Repeat("-", len(title))) }

// wrapped writes words after an indent, broken at the width, but not between a figure and its unit
// or interval.
func (p *page) wrapped(indent, text string) {
	line := indent
	for _, w := range pieces(strings.Fields(text)) {
		w = shorten(w, width-len(indent)-1)
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width && strings.TrimSpace(line) != "" {
			p.line("%s", strings.ReplaceAll(line, glue, " "))
			line = strings.Repeat(" ", len(indent))
		}
		if line != "" && !strings.HasSuffix(line, " ") {
			line += " "
		}
		line += w
	}
	p.line("%s", strings.ReplaceAll(line, glue, " "))
}

// glue is a space at which wrapped does not break.
const glue = "\x1f"

// maxPiece is the longest piece of words that belong together.
const maxPiece = 40

// pieces joins figures with what follows them: "~8,729" with "±0.09" with "%".
func pieces(words []string) (joined []string) {
	figure := false
	for _, w := range words {
		if last := len(joined) - 1; figure && len(joined[last])+len(w) < maxPiece {
			joined[last] += " " + w
		} else {
			joined = append(joined, w)
		}
		figure = isFigure(w)
	}
	return joined
}

// isFigure reports whether a word is a number that its unit or interval follows.
func isFigure(w string) bool {
	w = strings.TrimLeft(w, "(~±+-")
	return w != "" && w[0] >= '0' && w[0] <= '9' && w[len(w)-1] >= '0' && w[len(w)-1] <= '9'
}

func (r *Report) title(p *page) {
	p.wrapped("", fmt.Sprintf("crawler %s   %s   %s", r.Version, r.Started.Format("2006-01-02 15:04:05 MST"), ending(r)))
	p.line("%s", strings.Repeat("=", width))
}

// nothing is the report of a crawl without a page: its first failures, and no empty tables.
func (r *Report) nothing(p *page) {
	r.title(p)
	p.wrapped("", fmt.Sprintf("no page in %s: %s skipped, %s", r.duration(), counted(total(r.Skipped), "URL"), counted(total(r.Errors), "error")))
	for i, f := range r.Failures {
		if i == maxFailures {
			p.line("  and more%s", p.in(SkippedFile))
			break
		}
		p.line("  %s: %s", f.URL, strings.Join(slices.DeleteFunc([]string{f.Reason, OneLine(f.Detail, width)}, func(s string) bool { return s == "" }), ", "))
	}
}

func (r *Report) headline(p *page) {
	r.title(p)
	p.wrapped("", fmt.Sprintf("%s from %s in %s", counted(r.Pages.Fetched, "page"), counted(r.siteNumber(), "site"), r.duration()))
	p.wrapped("", fmt.Sprintf("%s, %s, %s skipped, %s", counted(r.Pages.Unique, "different text"),
		counted(r.Pages.Redirects, "redirect"), counted(total(r.Skipped), "URL"), counted(total(r.Errors), "error")))
	if n := r.Trapped(); n > 0 {
		p.wrapped("! ", fmt.Sprintf("%s taken for %s and not fetched, nor what only they lead to: below, under Traps", counted(n, "URL"), counted(len(r.Traps), "trap")))
	}
	if s := r.SeedsDone; s.Given > 1 {
		p.wrapped("", fmt.Sprintf("%s: %s answered, %s without an answer, %s left", counted(s.Given, "seed"), share(s.Answered, s.Given),
			share(s.Refused, s.Given), share(max(s.Given-s.Answered-s.Refused, 0), s.Given)))
	}
	if n := r.Pages.NeedScript; n == 1 {
		p.wrapped("", "1 page looks as if it needs JavaScript, which is not run")
	} else if n > 1 {
		p.wrapped("", counted(n, "page")+" look as if they need JavaScript, which is not run")
	}
	p.wrapped("", fmt.Sprintf("%s words, distinct: %s", group(r.Words.Total), figureText(r.Words.Distinct)))
	p.wrapped("", fmt.Sprintf("surprise number: %s", figureText(r.Words.Surprise)))
	if b := r.Rebuilt; b != nil {
		p.wrapped("  ", fmt.Sprintf("partial: the state was lost, and made again at %s from the records of %s; words, requests and time are of what was fetched since",
			b.At.Format("2006-01-02 15:04 UTC"), counted(b.Pages, "page")))
	}
	if r.Words.Total == 0 {
		return
	}
	p.wrapped("  ", "the surprise number is the sum of the squares of how often each word occurs: the larger, the more the words repeat")
	if estimated(r.Words.Distinct) || estimated(r.Words.Surprise) || slices.ContainsFunc(r.Sites, func(s Site) bool { return estimated(s.Distinct) || estimated(s.Surprise) }) {
		p.wrapped("  ", "~ marks an estimate, ± how far off it may be with 95 % confidence")
	}
}

// share is a part of a whole with its percentage.
func share(part, whole int) string {
	return fmt.Sprintf("%s (%.1f %%)", group(int64(part)), 100*float64(part)/float64(whole))
}

// estimated reports whether a figure carries an error.
func estimated(f Figure) bool { return f.Low != f.High }

// duration says how long the crawl was at work.
func (r *Report) duration() string {
	if r.Runs > 1 {
		return spell(r.Resources.Seconds) + ", " + counted(r.Runs, "run")
	}
	return spell(r.Resources.Seconds)
}

func ending(r *Report) string {
	left := ""
	if r.Frontier.Left > 0 {
		left = ", " + counted(r.Frontier.Left, "URL") + " left"
	}
	switch crawl.EndedBy(r.EndedBy) {
	case crawl.Done:
		if n := r.Incomplete(); n > 0 {
			return "ended, " + counted(n, "URL") + " given up"
		}
		if r.Pages.Fetched == 0 && len(r.Failures) > 0 {
			return "ended without a page"
		}
		if r.Trapped() > 0 {
			return "complete, but for traps"
		}
		return "complete"
	case crawl.ByInterrupt, crawl.ByStop, crawl.ByRecordError:
		return r.EndedBy + left
	case crawl.ByStoreError:
		return "stopped, its state could not be written" + left
	case crawl.ByLowDisk:
		return "stopped, the disk is nearly full" + left
	case crawl.ByShardError:
		return "stopped, the other shards could not be reached" + left
	case crawl.ByOutage:
		return "stopped, nothing answers" + left
	}
	return "ended by " + r.EndedBy + left
}

func (r *Report) siteTable(p *page) {
	if len(r.Sites) == 0 {
		return
	}
	p.head("Sites")
	if r.many() {
		r.groupedFlags(p)
	}
	p.line("%-*s %7s %10s %12s %14s", siteWidth, "", "pages", "words", "distinct", "surprise")
	list := shown(r.Sites)
	for i, s := range list {
		if i == maxRows {
			p.line("  and %s more%s", group(int64(r.siteNumber()-maxRows)), p.in(JSONFile))
			break
		}
		mark, name := " ", s.Site
		if len(s.Flags) > 0 {
			mark = "!"
		}
		if name == OtherSites {
			name = fmt.Sprintf("(%s together)", counted(r.OtherSites, "other site"))
		}
		p.line("%s %-*s %7s %10s %12s %14s", mark, siteWidth-2, shorten(name, siteWidth-2),
			column(s.Pages, 7), column(int(s.Words), 10), short(s.Distinct), short(s.Surprise))
		if r.many() {
			continue
		}
		for _, f := range s.Flags {
			p.wrapped("    ! ", f)
		}
	}
}

// groupedFlags lists what is unusual of sites, each thing once.
func (r *Report) groupedFlags(p *page) {
	const most = 3 // names
	var kinds []string
	sites := map[string][]string{}
	for _, s := range r.Sites {
		for _, f := range s.Flags {
			kind, _, _ := strings.Cut(f, ":")
			if sites[kind] == nil {
				kinds = append(kinds, kind)
			}
			sites[kind] = append(sites[kind], shorten(s.Site, siteWidth))
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(len(sites[b]), len(sites[a])) })
	for _, kind := range kinds {
		names := sites[kind]
		text := fmt.Sprintf("%s, %s: %s", counted(len(names), "site"), kind, strings.Join(names[:min(len(names), most)], ", "))
		if more := len(names) - most; more > 0 {
			text += fmt.Sprintf(" and %s more%s", group(int64(more)), p.in(JSONFile))
		}
		p.wrapped("  ! ", text)
	}
}

// shown puts the flagged sites first and keeps the order otherwise.
func shown(sites []Site) []Site {
	out := slices.Clone(sites)
	slices.SortStableFunc(out, func(a, b Site) int {
		return cmp.Or(sumLast(a, b), cmp.Compare(min(len(b.Flags), 1), min(len(a.Flags), 1)))
	})
	return out
}

func (r *Report) pageTable(p *page) {
	if len(r.Pages.ByStatus)+len(r.Pages.MostLinked) == 0 {
		return
	}
	p.head("Pages")
	p.wrapped("  by status  ", counts(r.Pages.ByStatus))
	p.wrapped("  by type    ", counts(r.Pages.ByType))
	p.wrapped("  by depth   ", depths(r.Pages.ByDepth))
	if len(r.Pages.MostLinked) > 0 {
		p.line("  most linked, by pages with a link there, as estimated:")
	}
	for _, l := range r.Pages.MostLinked {
		p.line("  %9s  %s", group(l.InLinks), shorten(l.URL, width-13))
	}
}

// brokenLinks lists the first links that lead to an error, each with where it ends and a page
// that has it: what the owner of a site wants to know first.
func (r *Report) brokenLinks(p *page) {
	silent := r.unanswered()
	if r.many() {
		silent = 0 // mostly seeds, and under Errors just above
	}
	if len(r.Pages.Broken) == 0 && silent == 0 {
		return
	}
	p.head("Broken links")
	for i, b := range r.Pages.Broken {
		if i == maxShownBroken {
			p.line("  and more%s", p.in(PagesFile))
			break
		}
		p.line("  %d %s", b.Status, shorten(b.URL, width-6))
		if b.End != "" {
			p.line("      redirects to %s", shorten(b.End, width-19))
		}
		if b.Error != "" {
			p.wrapped("      ", b.Error)
		}
		if b.Via != "" {
			p.line("      on %s", shorten(b.Via, width-9))
		}
	}
	if silent > 0 {
		p.line("  %s without an answer that can be read: under Errors", counted(silent, "URL"))
	}
}

const maxShownBroken = 10

// counts lists "key count" pairs, the largest counts first, the smallest summed up.
func counts(m map[string]int) string {
	const most = 12
	out, rest := []string{}, 0
	for i, k := range sorted(m) {
		if i < most {
			out = append(out, shorten(cmp.Or(k, "(none)"), siteWidth)+glue+group(int64(m[k]))+",")
		} else {
			rest += m[k]
		}
	}
	if rest > 0 {
		out = append(out, "others"+glue+group(int64(rest)))
	}
	return strings.TrimSuffix(strings.Join(out, "  "), ",")
}

// depths lists counts by depth, in order of depth, the deepest summed up.
func depths(m map[string]int) string {
	const most = 12
	n, deep, out := 0, 0, []string{}
	for d := 0; n < len(m); d++ {
		c, ok := m[strconv.Itoa(d)]
		if !ok && d <= 1<<20 {
			continue
		}
		n++
		if len(out) < most {
			out = append(out, fmt.Sprintf("%d:%s%s,", d, glue, group(int64(c))))
		} else {
			deep += c
		}
	}
	if deep > 0 {
		out = append(out, "deeper:"+glue+group(int64(deep)))
	}
	return strings.TrimSuffix(strings.Join(out, "  "), ",")
}

func sorted(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	return keys
}

// givenUp says what may be had later, and how.
func (r *Report) givenUp(p *page) {
	if len(r.GivenUp) == 0 {
		return
	}
	p.head("Given up, may be had later")
	for _, k := range sorted(r.GivenUp) {
		p.line("  %-18s %8s", k, group(int64(r.GivenUp[k])))
	}
	if r.Retry != "" {
		p.line("  %s", r.Retry) // in one piece, to be copied
	}
}

func reasons(p *page, title string, m map[string]int) {
	if len(m) == 0 {
		return
	}
	p.head(title)
	for _, k := range sorted(m) {
		p.wrapped(fmt.Sprintf("  %-16s %8s  ", k, group(int64(m[k]))), meaning(k))
	}
	if !p.noFiles {
		p.line("  each with its URL in %s", SkippedFile)
	}
}

// figureText writes a figure with the half-width of its 95 % interval.
func figureText(f Figure) string {
	text := short(f)
	if estimated(f) && f.Estimate > 0 {
		text += fmt.Sprintf(" ±%.2g %%", 50*(f.High-f.Low)/f.Estimate)
	}
	if f.Exact != nil && *f.Exact != f.Estimate && *f.Exact > 0 {
		text += fmt.Sprintf(" (counted exactly: %s, off by %+.2g %%)", number(*f.Exact), 100*(f.Estimate / *f.Exact - 1))
	}
	return text
}

// short writes an estimate; "~" marks one that carries an error.
func short(f Figure) string {
	if estimated(f) {
		return "~" + number(f.Estimate)
	}
	return number(f.Estimate)
}

// number writes small numbers in full and large ones with four digits.
func number(f float64) string {
	if f < 1e7 {
		return group(int64(math.Round(f)))
	}
	return strconv.FormatFloat(f, 'e', 3, 64)
}

// amount writes a number of bytes.
func amount(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// group writes a number with commas.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// column writes a count so that it fits into the given number of characters.
func column(n, chars int) string {
	if s := group(int64(n)); len(s) <= chars {
		return s
	}
	return strconv.FormatFloat(float64(n), 'e', chars-6, 64)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return group(int64(n)) + " " + what
}

func spell(seconds float64) string {
	if seconds < 60 {
		return fmt.Sprintf("%.1f s", seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}

func total(m map[string]int) int {
	sum := 0
	for _, n := range m {
		sum += n
	}
	return sum
}

// shorten cuts the middle out of a long name.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n/2-1] + ".." + s[len(s)-(n-n/2-1):]
}

func (r *Report) costs(p *page) {
	c := r.Resources
	p.head("Cost")
	p.wrapped("  ", fmt.Sprintf("%s, %.1f pages a second, %.2f CPU-seconds, peak memory %.1f MiB, %s of bodies",
		spell(c.Seconds), c.PagesPerSecond, c.CPUSeconds, float64(c.PeakRSSBytes)/(1<<20), amount(r.Pages.Bytes)))
}
