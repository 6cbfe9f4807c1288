package main

import "fmt"

// goal is a bound on the CPU per page of ours to a rival's on one kind of pages.
type goal struct {
	rival, site string
	atMost      float64
	recall      bool // ours must have found every page, too
}

// goals are those of docs/rivals.md. At least as many pages per CPU-second as spider-rs
// is at most its CPU.
var goals = []goal{
	{rival: "bare", site: "12-KiB", atMost: 3.5},
	{rival: "wget2", site: "12-KiB", atMost: 0.5, recall: true},
	{rival: "colly", site: "12-KiB", atMost: 0.05},
	{rival: "colly, queue", site: "12-KiB", atMost: 0.05},
	{rival: "colly, tuned", site: "12-KiB", atMost: 0.05},
	{rival: "katana", site: "12-KiB", atMost: 0.25},
	{rival: "spider-rs", site: "2.5-KB", atMost: 1},
}

// peakGoal is in MiB, of ours on the full site.
const peakGoal = 64

// goalRows are the lines of the table of goals, the header first.
func (r results) goalRows() [][]string {
	rows := [][]string{{"goal", "at most", "measured", ""}}
	for _, g := range goals {
		for _, race := range r.Races {
			ours, rival := race.find("ours"), race.find(g.rival)
			// The bare loop runs in both races of a site; the full one counts.
			if race.Site != g.site || ours == nil || rival == nil || g.rival == "bare" && race.Short {
				continue
			}
			s, ok := spreadOf(ratio(ours, rival))
			met := ok && s.Median <= g.atMost
			if g.recall {
				least, _ := spreadOf(race.recall(ours))
				met = met && least.Min == 100
			}
			rows = append(rows, []string{fmt.Sprintf("CPU to that of %s, %s pages", g.rival, g.site), fmt.Sprint(g.atMost), show(ratio(ours, rival)), metOrMissed(met)})
		}
	}
	return append(rows, r.peakRows()...)
}

func (r results) peakRows() (rows [][]string) {
	for _, race := range r.Races {
		if ours := race.find("ours"); ours != nil && !race.Short {
			peaks := ours.each(sample.mebibytes)
			s, _ := spreadOf(peaks)
			rows = append(rows, []string{fmt.Sprintf("MiB of memory, %s %s pages", integer(float64(race.Pages)), race.Site), fmt.Sprint(peakGoal), show(peaks), metOrMissed(s.Max <= peakGoal)})
		}
	}
	return rows
}

func metOrMissed(met bool) string {
	if met {
		return "met"
	}
	return "missed"
}
