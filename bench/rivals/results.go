package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// results is everything that was measured; its JSON is what -json writes.
type results struct {
	Machine     machine
	Connections int
	Races       []*race
}

// write prints the tables to w, and writes the files that were asked for.
func (r results) write(w io.Writer, o options) error {
	err := r.print(w, plain, (*entry).settings)
	if o.jsonFile != "" {
		text, jsonErr := json.MarshalIndent(r, "", "  ")
		err = errors.Join(err, jsonErr, os.WriteFile(o.jsonFile, append(text, '\n'), 0o666))
	}
	if o.mdFile != "" {
		var b strings.Builder
		err = errors.Join(err, r.print(&b, markdown, (*entry).shortly))
		err = errors.Join(err, os.WriteFile(o.mdFile, []byte(b.String()), 0o666))
	}
	return err
}

// perfect fails if a crawl of ours missed a page, fetched one twice or failed.
func (r results) perfect() error {
	var errs []error
	for _, race := range r.Races {
		for _, e := range race.Entries {
			for round, s := range e.Samples {
				if e.ours && (s.Distinct != race.Pages || s.Duplicates > 0 || s.Fault != "") {
					errs = append(errs, fmt.Errorf("%s on %s, round %d: %d of %d pages, %d fetched twice; %s",
						e.Name, race.Site, round+1, s.Distinct, race.Pages, s.Duplicates, s.Fault))
				}
			}
		}
	}
	return errors.Join(errs...)
}

// print writes the tables, the goals, and a line about each contestant.
func (r results) print(w io.Writer, table func([][]string) string, about func(*entry) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s. %d connections; medians of the rounds, extremes in brackets.\n", r.Machine, r.Connections)
	for _, race := range r.Races {
		if rows := race.rows(); len(rows) > 1 {
			fmt.Fprintf(&b, "\n%s pages, %s of them, rounds: %d\n\n%s", race.Site, integer(float64(race.Pages)), race.Rounds, table(rows))
		}
	}
	fmt.Fprintf(&b, "\n%s\n%s", table(r.goalRows()), r.footer(about))
	_, err := io.WriteString(w, b.String())
	return err
}

// rows are the lines of a race's table, the header first.
func (r *race) rows() [][]string {
	rows := [][]string{{"", "pages/s", "CPU s per 1,000 pages", "peak MiB", "recall %", "fetched twice", "CPU of ours to its"}}
	ours := r.find("ours")
	for _, e := range r.Entries {
		if e.Missing != "" || len(e.Samples) == 0 {
			continue
		}
		against := "–"
		if ours != nil && !e.ours {
			against = show(ratio(ours, e))
		}
		rows = append(rows, []string{e.Name, show(e.each(sample.pagesPerSecond)), show(e.each(sample.cpu)),
			show(e.each(sample.mebibytes)), show(r.recall(e)),
			show(e.each(func(s sample) float64 { return float64(s.Duplicates) })), against})
	}
	return rows
}

// footer says something about every contestant once, and how it failed.
func (r results) footer(about func(*entry) string) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, race := range r.Races {
		for _, e := range race.Entries {
			if !seen[e.Name] {
				seen[e.Name] = true
				fmt.Fprintf(&b, "- %s\n", about(e))
			}
			for _, fault := range e.faults() {
				fmt.Fprintf(&b, "- %s on %s pages: %s\n", e.Name, race.Site, fault)
			}
		}
	}
	return b.String()
}

// shortly is the version, or why there is none.
func (e *entry) shortly() string {
	if e.Missing != "" {
		return fmt.Sprintf("%s: not available: %s", e.Name, e.Missing)
	}
	return e.Name + ": " + e.Version
}

// settings is the version, the command, what it does not show, and where the
// documentation has it.
func (e *entry) settings() string {
	if e.Missing != "" {
		return e.shortly()
	}
	parts := []string{fmt.Sprintf("%s (%s): `%s`", e.Name, e.Version, e.Command)}
	if e.setup != "" {
		parts = append(parts, e.setup)
	}
	if e.docs != "" {
		parts = append(parts, "by its "+e.docs)
	}
	return strings.Join(parts, "; ")
}

func (e *entry) faults() []string {
	var all []string
	for _, s := range e.Samples {
		if s.Fault != "" && !slices.Contains(all, s.Fault) {
			all = append(all, s.Fault)
		}
	}
	return all
}

// plain sets a table in columns.
func plain(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// markdown sets a table with bars.
func markdown(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}
