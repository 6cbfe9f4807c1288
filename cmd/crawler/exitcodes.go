package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// exitTable says what the exit codes of a command mean.
type exitTable map[int]string

// What they mean to several commands.
const (
	noSuch     = "wrong usage: no such command or flag"
	unwritten  = "the output could not be written"
	crawlDisk  = "the output could not be written, or the disk is nearly full (--min-free)"
	noPage     = "nothing could be fetched"
	limited    = "a limit ended the crawl, with --fail-on-limit"
	stoppedBy  = "interrupted (Ctrl-C, SIGTERM); the report covers what was done"
	graphUsage = "wrong usage: a flag, or DIR holds no crawl or one without links"
	graphDisk  = "the graph or the page could not be written"
	graphStop  = "interrupted (Ctrl-C); an older graph stays, and nothing else is left"
	labStop    = "interrupted (Ctrl-C); nothing was written"
)

var (
	prints    = exitTable{exitOK: "printed", exitUsage: noSuch, exitDisk: unwritten}
	helps     = exitTable{exitOK: "done", exitUsage: noSuch}
	labReads  = exitTable{exitOK: "done", exitFailed: "the input could not be read", exitUsage: "wrong usage", exitDisk: unwritten, exitInterrupted: labStop}
	asksGraph = exitTable{
		exitOK: "done", exitFailed: "something failed, or the crawl or its graph is damaged", exitUsage: graphUsage,
		exitDisk: graphDisk, exitNothing: "nothing was crawled yet", exitInterrupted: graphStop,
	}
	asksGraphOfURL = exitTable{
		exitOK: "done", exitFailed: "something failed, or the crawl or its graph is damaged",
		exitUsage: "wrong usage: a flag, a URL, or DIR holds no crawl or one without links",
		exitDisk:  graphDisk, exitNothing: "the URL is not in the graph, or nothing was crawled yet", exitInterrupted: graphStop,
	}
)

// exitCodes has every exit code that a command can end with, by its name behind "crawler".
var exitCodes = map[string]exitTable{
	"": {exitOK: "done", exitUsage: noSuch + ";\nthe help of each command lists its own codes"},
	"crawl": {
		exitOK: "the crawl ended, or a limit you set ended it",
		exitUsage: "wrong usage: a flag, the configuration, a seed, or DIR holds a crawl\n" +
			"already or is in use",
		exitDisk: crawlDisk, exitNothing: noPage, exitLimit: limited, exitInterrupted: stoppedBy,
	},
	"resume": {
		exitOK:     "the crawl ended, or a limit you set ended it",
		exitFailed: "something failed, or the crawl in DIR is damaged",
		exitUsage: "wrong usage: a flag, or DIR holds no crawl, one of another version or one\n" +
			"in use; or nothing is left to do, or a limit still stands",
		exitDisk: crawlDisk, exitNothing: noPage, exitLimit: limited, exitInterrupted: stoppedBy,
	},
	"report": {
		exitOK: "printed", exitFailed: "the report or the crawl in DIR is damaged or cannot be read",
		exitUsage: "wrong usage, or DIR holds no crawl, or one that has no report yet", exitDisk: unwritten,
	},
	"why": {
		exitOK: "printed", exitFailed: "the crawl in DIR is damaged or cannot be read",
		exitUsage: "wrong usage: no URL, or DIR holds no crawl or one of another version",
		exitDisk:  unwritten, exitNothing: "the crawl has no record of the URL",
	},
	"demo": {
		exitOK: "the crawl ended, or --max-pages ended it", exitFailed: "the demo's web could not be served",
		exitUsage: "wrong usage: a flag, or DIR holds a crawl already or is in use",
		exitDisk:  crawlDisk, exitNothing: noPage, exitInterrupted: stoppedBy,
	},
	"bench": {
		exitOK:     "measured; every page was fetched, and none twice",
		exitFailed: "a page was missed or fetched twice, or a part of the measurement failed",
		exitUsage:  "wrong usage", exitDisk: "the crawl or the figures could not be written",
		exitInterrupted: "interrupted (Ctrl-C); nothing is left behind",
	},

	"graph": helps, "graph build": asksGraph, "graph stats": asksGraph, "graph rank": asksGraph, "graph clicks": asksGraph,
	"graph neighbours": asksGraphOfURL, "graph reach": asksGraphOfURL,
	"graph export": {
		exitOK: "done", exitFailed: asksGraph[exitFailed],
		exitUsage:   graphUsage + ",\nor the graph is too large for the format",
		exitDisk:    "the graph or the export could not be written, or PATH is there already",
		exitNothing: asksGraph[exitNothing], exitInterrupted: graphStop,
	},

	"lab": helps, "lab filters": labReads, "lab words": labReads, "lab restart": labReads, "lab order": labReads,
	"lab theory": {
		exitOK: "done", exitFailed: "the page could not be made", exitUsage: "wrong usage", exitDisk: unwritten, exitInterrupted: labStop,
	},

	"version": prints, "help": helps, "completion": helps,
	"completion bash": prints, "completion zsh": prints, "completion fish": prints, "completion powershell": prints,
}

// addExitCodes puts the exit codes of a command and of those below it into their help.
// Hidden commands are called by the program alone.
func addExitCodes(c *cobra.Command) {
	if c.Hidden {
		return
	}
	c.Long = strings.TrimRight(c.Long, "\n") + "\n\nExit codes:\n" + exitCodes[belowCrawler(c)].text()
	for _, sub := range c.Commands() {
		addExitCodes(sub)
	}
}

// belowCrawler is a command's name behind "crawler".
func belowCrawler(c *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
}

// text is a table, one code a line, the lowest first.
func (e exitTable) text() string {
	var lines []string
	for _, code := range slices.Sorted(maps.Keys(e)) {
		lines = append(lines, fmt.Sprintf("  %-5d%s", code, strings.ReplaceAll(e[code], "\n", "\n       ")))
	}
	return strings.Join(lines, "\n")
}

// unwritable gives the errors of a writer that cobra writes to their exit code.
type unwritable struct{ io.Writer }

func (u unwritable) Write(b []byte) (int, error) {
	n, err := u.Writer.Write(b)
	if err != nil {
		err = diskError(err)
	}
	return n, err
}
