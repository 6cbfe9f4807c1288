package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crawler/cmd/crawler/internal/shell"
)

// exitTable says what the exit codes of a command mean.
type exitTable map[int]string

// What they mean to several commands.
const (
	noSuch       = "wrong usage: no such command or flag"
	unwritten    = "the output could not be written"
	crawlDisk    = "the output could not be written, or the disk is nearly full (--min-free)"
	noPage       = "nothing could be fetched"
	limited      = "a limit ended the crawl, with --fail-on-limit"
	incomplete   = "no host answered for longer than --patience; or, with\n--fail-on-incomplete, URLs were given up that may be had later"
	broken       = "links lead to errors, with --fail-on-broken"
	stoppedBy    = "interrupted (Ctrl-C, SIGTERM); the report covers what was done"
	graphUsage   = "wrong usage: a flag, or DIR holds no crawl or one without links"
	graphDisk    = "the graph or the page could not be written"
	archiveUsage = "wrong usage: a flag, a URL or a word, or DIR holds no archive"
	graphStop    = "interrupted (Ctrl-C); an older graph stays, and nothing else is left"
	labStop      = "interrupted (Ctrl-C); nothing was written"
)

var (
	prints      = exitTable{shell.ExitOK: "printed", shell.ExitUsage: noSuch, shell.ExitDisk: unwritten}
	helps       = exitTable{shell.ExitOK: "done", shell.ExitUsage: noSuch}
	labComputes = exitTable{shell.ExitOK: "done", shell.ExitFailed: "the page could not be made", shell.ExitUsage: "wrong usage", shell.ExitDisk: unwritten, shell.ExitInterrupted: labStop}
	labReads    = exitTable{shell.ExitOK: "done", shell.ExitFailed: "the input could not be read", shell.ExitUsage: "wrong usage", shell.ExitDisk: unwritten, shell.ExitInterrupted: labStop}
	asksCluster = exitTable{
		shell.ExitOK: "done", shell.ExitFailed: "the broker does not answer, or not as it should",
		shell.ExitUsage: "wrong usage, the broker has no such crawl, or it has ended", shell.ExitDisk: unwritten,
	}
	asksGraph = exitTable{
		shell.ExitOK: "done", shell.ExitFailed: "something failed, or the crawl or its graph is damaged", shell.ExitUsage: graphUsage,
		shell.ExitDisk: graphDisk, shell.ExitNothing: "nothing was crawled yet", shell.ExitInterrupted: graphStop,
	}
	asksGraphOfURL = exitTable{
		shell.ExitOK: "done", shell.ExitFailed: "something failed, or the crawl or its graph is damaged",
		shell.ExitUsage: "wrong usage: a flag, a URL, or DIR holds no crawl or one without links",
		shell.ExitDisk:  graphDisk, shell.ExitNothing: "the URL is not in the graph, or nothing was crawled yet", shell.ExitInterrupted: graphStop,
	}
)

// exitCodes has every exit code that a command can end with, by its name behind "crawler".
var exitCodes = map[string]exitTable{
	"": {shell.ExitOK: "done", shell.ExitUsage: noSuch + ";\nthe help of each command lists its own codes"},
	"crawl": {
		shell.ExitOK: "the crawl ended, or a limit you set ended it",
		shell.ExitUsage: "wrong usage: a flag, the configuration, a seed, or DIR holds a crawl\n" +
			"already or is in use",
		shell.ExitDisk: crawlDisk, shell.ExitNothing: noPage, shell.ExitLimit: limited, shell.ExitIncomplete: incomplete,
		shell.ExitBroken: broken, shell.ExitInterrupted: stoppedBy,
	},
	"resume": {
		shell.ExitOK:     "the crawl ended, or a limit you set ended it",
		shell.ExitFailed: "something failed, or the crawl in DIR is damaged",
		shell.ExitUsage: "wrong usage: a flag, or DIR holds no crawl, one of another version or one\n" +
			"in use; or nothing is left to do, or a limit still stands",
		shell.ExitDisk: crawlDisk, shell.ExitNothing: noPage, shell.ExitLimit: limited, shell.ExitIncomplete: incomplete,
		shell.ExitBroken: broken, shell.ExitInterrupted: stoppedBy,
	},
	"report": {
		shell.ExitOK: "printed", shell.ExitFailed: "the report or the crawl in DIR is damaged or cannot be read",
		shell.ExitUsage: "wrong usage, or DIR holds no crawl, or one that has no report yet", shell.ExitDisk: unwritten,
		shell.ExitInterrupted: "interrupted (Ctrl-C) while it made one of several directories",
	},
	"why": {
		shell.ExitOK: "printed", shell.ExitFailed: "the crawl in DIR is damaged or cannot be read",
		shell.ExitUsage: "wrong usage: no URL, or DIR holds no crawl or one of another version",
		shell.ExitDisk:  unwritten, shell.ExitNothing: "the crawl has no record of the URL",
	},
	"check": {
		shell.ExitOK: "the crawl in DIR is sound, or is now, after --repair", shell.ExitFailed: "it is damaged, or cannot be read",
		shell.ExitUsage: "wrong usage, or DIR holds no crawl, or one in use", shell.ExitDisk: "what was repaired could not be written",
		shell.ExitInterrupted: "interrupted (Ctrl-C)",
	},
	"diff": {
		shell.ExitOK: "the crawls have the same URLs, and with --what content the same texts", shell.ExitFailed: "they differ",
		shell.ExitUsage:       "wrong usage, or a crawl could not be read or reached, or the output could\nnot be written",
		shell.ExitInterrupted: "interrupted (Ctrl-C); nothing was printed",
	},
	"demo": {
		shell.ExitOK: "the crawl ended, or --max-pages ended it", shell.ExitFailed: "the demo's web could not be served",
		shell.ExitUsage: "wrong usage: a flag, or DIR holds a crawl already or is in use",
		shell.ExitDisk:  crawlDisk, shell.ExitNothing: noPage, shell.ExitInterrupted: stoppedBy,
	},
	"robots": {
		shell.ExitOK: "decided, whatever the decision", shell.ExitFailed: "the file could not be read",
		shell.ExitUsage: "wrong usage: no site and no file, or a path of another site", shell.ExitDisk: unwritten,
	},
	"bench": {
		shell.ExitOK:     "measured; every page was fetched, and none twice",
		shell.ExitFailed: "a page was missed or fetched twice, or a part of the measurement failed",
		shell.ExitUsage:  "wrong usage", shell.ExitDisk: "the crawl or the figures could not be written",
		shell.ExitInterrupted: "interrupted (Ctrl-C); nothing is left behind",
	},

	"cluster": helps,
	"cluster start": {
		shell.ExitOK: "the crawl ended, or a limit you set ended it",
		shell.ExitFailed: "something failed: the broker, a message of a newer version, or the crawl\n" +
			"is damaged",
		shell.ExitUsage: "wrong usage: a flag, a seed, a broker that others could reach, DIR holds\n" +
			"a crawl, or a complete one",
		shell.ExitDisk: crawlDisk, shell.ExitNothing: noPage, shell.ExitLimit: limited, shell.ExitIncomplete: incomplete,
		shell.ExitBroken: broken, shell.ExitInterrupted: stoppedBy + ",\nor crawler cluster stop",
	},
	"cluster join": {
		shell.ExitOK: "the crawl has ended, or this node has handed its shards over (Ctrl-C,\nSIGTERM)",
		shell.ExitFailed: "something failed: the broker, a message of a newer version, or a shard is\n" +
			"damaged",
		shell.ExitUsage: "wrong usage: a flag, a broker that others could reach, a seed that this\n" +
			"machine may not connect to, or DIR is of another crawl",
		shell.ExitDisk: crawlDisk, shell.ExitIncomplete: "no host answered this node for longer than --patience", shell.ExitInterrupted: "interrupted twice",
	},
	"cluster verify": {
		shell.ExitOK: "nothing is missing", shell.ExitFailed: "something was missing, and was sent again; or a shard does not answer",
		shell.ExitUsage: "wrong usage, or the broker has no such crawl", shell.ExitDisk: unwritten,
	},
	"cluster status": asksCluster, "cluster pause": asksCluster, "cluster resume": asksCluster, "cluster stop": asksCluster,
	"cluster report": {
		shell.ExitOK: "done", shell.ExitFailed: "a shard is missing, damaged or cannot be read",
		shell.ExitUsage: "wrong usage: DIR holds no crawl or one in use, or they are not of one\ncrawl",
		shell.ExitDisk:  unwritten, shell.ExitInterrupted: "interrupted (Ctrl-C); no report was written",
	},

	"graph": helps, "graph build": asksGraph, "graph stats": asksGraph, "graph rank": asksGraph, "graph clicks": asksGraph,
	"graph neighbours": asksGraphOfURL, "graph reach": asksGraphOfURL,
	"graph export": {
		shell.ExitOK: "done", shell.ExitFailed: asksGraph[shell.ExitFailed],
		shell.ExitUsage:   graphUsage + ",\nor the graph is too large for the format",
		shell.ExitDisk:    "the graph or the export could not be written, or PATH is there already",
		shell.ExitNothing: asksGraph[shell.ExitNothing], shell.ExitInterrupted: graphStop,
	},

	"archive": helps,
	"archive get": {
		shell.ExitOK: "printed", shell.ExitFailed: "the archive is damaged or cannot be read", shell.ExitUsage: archiveUsage,
		shell.ExitDisk: unwritten, shell.ExitNothing: "the archive has no record of the URL",
	},
	"archive list": {shell.ExitOK: "printed", shell.ExitFailed: "the archive is damaged or cannot be read", shell.ExitUsage: archiveUsage, shell.ExitDisk: unwritten},
	"archive grep": {
		shell.ExitOK: "printed", shell.ExitFailed: "the archive is damaged or cannot be read", shell.ExitUsage: archiveUsage,
		shell.ExitDisk: unwritten, shell.ExitNothing: "no page holds the word",
	},
	"archive index": {shell.ExitOK: "written", shell.ExitFailed: "the archive is damaged or cannot be read", shell.ExitUsage: archiveUsage + ",\nor that of a crawl", shell.ExitDisk: "the filters could not be written"},
	"archive wacz": {
		shell.ExitOK: "written", shell.ExitFailed: "the archive is damaged, is of zstd, or cannot be read", shell.ExitUsage: archiveUsage + ",\nor FILE is there already",
		shell.ExitDisk: "the file could not be written",
	},
	"archive serve":  {shell.ExitOK: "interrupted (Ctrl-C, SIGTERM)", shell.ExitFailed: "the archive cannot be read, or the address cannot be had", shell.ExitUsage: archiveUsage, shell.ExitDisk: unwritten},
	"archive verify": {shell.ExitOK: "the archive is sound", shell.ExitFailed: "it is damaged, or cannot be read", shell.ExitUsage: archiveUsage, shell.ExitDisk: unwritten},

	"lab": helps, "lab filters": labReads, "lab words": labReads, "lab restart": labReads, "lab order": labReads, "lab ring": labReads,
	"lab near": labReads, "lab sample": labReads, "lab stragglers": labReads, "lab dictionary": labReads, "lab iceberg": labReads,
	"lab chunks": labReads,
	"lab theory": labComputes, "lab reconcile": labComputes, "lab digests": labComputes,

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
		err = shell.DiskError(err)
	}
	return n, err
}
