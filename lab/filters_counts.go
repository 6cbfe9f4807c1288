package lab

import (
	"fmt"
	"strings"

	"crawler/dedup"
	"crawler/internal/sheet"
)

// directories are how many of the URLs lie under each prefix: a multiset, of which few keys occur
// often.
func (c *comparison) directories() *multiset {
	m := &multiset{counts: map[uint64]uint64{}}
	for _, u := range c.cfg.Corpus.URLs[:min(c.cfg.Sizes[len(c.cfg.Sizes)-1], moreURLs)] {
		parts := segments(u)
		for i := range parts {
			key := fingerprint(strings.Join(parts[:i+1], "/"))
			m.counts[key]++
			m.total++
		}
	}
	return m
}

// spectralResult is what one method did.
type spectralResult struct {
	keys, wrong, low int // of the counts after all were added
	absent           answers
	removable        bool
	lowThen, zero    int // after half was removed: below the truth; 0 though the key is there
	bytes            int64
	expected         float64
}

// measureSpectral asks a filter about everything, removes half of each key, and asks again.
func (c *comparison) measureSpectral(m *multiset, f *dedup.Spectral) spectralResult {
	r := spectralResult{keys: len(m.counts), bytes: f.Bytes(), expected: f.ExpectedErrorRate(), removable: f.Method() != dedup.MinimalIncrease}
	for key, truth := range m.counts {
		if count := f.Count(key); count != truth {
			r.wrong++
			if count < truth {
				r.low++
			}
		}
	}
	r.absent = c.absent(counted{f}, 28)
	if !r.removable {
		return r
	}
	for _, key := range m.keys() {
		for range m.counts[key] / 2 {
			if f.Remove(key) != nil {
				break // the count is 0 already, which is counted below
			}
		}
	}
	for key, truth := range m.counts {
		if count, left := f.Count(key), truth-truth/2; count < left {
			r.lowThen++
			if count == 0 {
				r.zero++
			}
		}
	}
	return r
}

// counted asks whether a key was counted.
type counted struct{ f *dedup.Spectral }

// Has reports whether the count is above 0.
func (c counted) Has(h uint64) bool { return c.f.Count(h) > 0 }

// countsSection judges what the sources say of spectral filters.
func (c *comparison) countsSection([]uint64) (sheet.Section, error) {
	m := c.directories()
	t := &sheet.Table{Columns: []sheet.Column{{Name: "bytes a key", Format: "%.3g"}, {Name: "method"}, {Name: "counts wrong", Unit: "%", Format: "%.3f"},
		{Name: "expected", Unit: "%", Format: "%.3f"}, {Name: "below the truth", Key: "low", Unit: "%", Format: "%.4f"},
		{Name: "absent keys counted", Key: "absent", Unit: "%", Format: "%.3f"}, {Name: "below, half removed", Key: "low_then", Unit: "%", Format: "%.4f"},
		{Name: "answered 0 wrongly", Key: "zero"}}}
	var judged [methods]spectralResult
	for _, bytes := range []float64{4, dedup.DefaultBytesPerKey} {
		filters, err := m.filters(bytes, c.cfg.Seed)
		if err != nil {
			return sheet.Section{}, err
		}
		for method, f := range filters {
			r := c.measureSpectral(m, f)
			judged[method] = r
			share := func(n int) float64 { return 100 * float64(n) / float64(r.keys) }
			row := []sheet.Cell{bytes, dedup.SpectralMethod(method).String(), share(r.wrong), 100 * r.expected, share(r.low), 100 * r.absent.share(), nil, nil}
			if r.removable {
				row[6], row[7] = share(r.lowThen), r.zero
			}
			t.Rows = append(t.Rows, row)
		}
	}
	notes := []string{fmt.Sprintf("Counted is how many of the URLs lie under each prefix: %s prefixes, %s occurrences. All methods have the same memory, and their second filters with it. "+
		"Half of each count is then removed, where that is possible.", group(len(m.counts)), group(int(m.total)))}
	return sheet.Section{ID: "counts", Title: "Spectral filters: what the sources say of them", Notes: append(notes, spectralVerdicts(judged)...), Table: t}, nil
}

// spectralVerdicts are about the results at 8 bytes a key.
func spectralVerdicts(of [methods]spectralResult) []string {
	ms, rm := of[dedup.MinimumSelection], of[dedup.RecurringMinimum]
	verdict := func(holds bool) string {
		if holds {
			return "holds"
		}
		return "REFUTED"
	}
	low, high := answers{asked: ms.keys, seen: ms.wrong}.interval()
	const rate = 0.01
	spectral, plain := 8*float64(dedup.SpectralBytesFor(1e6, rate))/1e6, dedup.BitsFor(rate)
	return []string{
		fmt.Sprintf("\"f_x <= m_x for all x\": %s for minimum selection (%s of %s counts are below the truth); %s for recurring minimum (%s are).",
			verdict(ms.low == 0), group(ms.low), group(ms.keys), verdict(rm.low == 0), group(rm.low)),
		fmt.Sprintf("\"wrong with the probability of a Bloom filter's error\": %s for minimum selection, %.3f %% expected, %.3f %% measured (95 %%: %.3f to %.3f, as if keys were independent).",
			verdict(ms.expected > 0.8*low && ms.expected < 1.25*high), 100*ms.expected, 100*float64(ms.wrong)/float64(ms.keys), 100*low, 100*high),
		fmt.Sprintf("\"improvements may be remarkable\" (recurring minimum, at equal memory): %s here: it is wrong for %s of %s counts, minimum selection for %s.",
			verdict(rm.wrong < ms.wrong), group(rm.wrong), group(rm.keys), group(ms.wrong)),
		fmt.Sprintf("\"deletion can't create false negatives\": %s, in that %s keys that are there are answered 0; but after deletions recurring minimum counts %s keys too low, minimum selection %s.",
			verdict(ms.zero == 0 && rm.zero == 0), group(ms.zero+rm.zero), group(rm.lowThen), group(ms.lowThen)),
		fmt.Sprintf("\"space usage is slightly larger\": REFUTED for counters of 8 bits: an error rate of 1 %% takes %.1f bits a key, a Bloom filter's %.1f.", spectral, plain),
	}
}
