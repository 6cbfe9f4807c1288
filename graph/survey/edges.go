package survey

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crawler/internal/durable"
	"crawler/report"
)

// ErrCrawl says that a graph of edges would replace that of a crawl.
var ErrCrawl = errors.New("holds a crawl, whose graph is made of its records")

// edgeHeads are the heads of the first two columns that a file of edges may have.
var edgeHeads = [][2]string{{"src", "dst"}, {"source", "target"}, {"from", "to"}, {"fromnodeid", "tonodeid"}}

// collectEdges feeds a file of edges to the graph's Builder: lines of two names, separated by
// commas or tabs, what follows them ignored. Lines that begin with # do not count, and a line
// with one name is a node. Where nodes.csv with the columns id and url stands beside it, as Export
// writes it, its URLs take the place of the names.
func (b *builder) collectEdges(ctx context.Context) error {
	urls, err := b.names()
	if err != nil {
		return err
	}
	name := func(s string) (string, error) {
		if urls == nil {
			return s, nil
		}
		if url, ok := urls[s]; ok {
			return url, nil
		}
		return "", fmt.Errorf("node %q is not in nodes.csv", s)
	}
	read := int64(0)
	return eachRow(b.From, func(line int, row []string) error {
		if read++; read%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if line == 1 && len(row) > 1 && slices.Contains(edgeHeads, [2]string{strings.ToLower(row[0]), strings.ToLower(row[1])}) {
			return nil
		}
		b.progress("reading edges: %s", read)
		from, err := name(row[0])
		if err != nil || len(row) == 1 {
			return errors.Join(err, b.links.AddNode(from))
		}
		to, err := name(row[1])
		if err != nil {
			return err
		}
		return b.links.AddPage(from, []string{to})
	})
}

// names reads nodes.csv, if it is there.
func (b *builder) names() (map[string]string, error) {
	name := filepath.Join(filepath.Dir(b.From), "nodes.csv")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || filepath.Base(b.From) == "nodes.csv" {
		return nil, nil
	}
	urls := map[string]string{}
	err := eachRow(name, func(line int, row []string) error {
		switch {
		case len(row) < 2:
			return errors.New("want id and url")
		case line == 1 && (row[0] != "id" || row[1] != "url"):
			return errors.New("its first line must be id,url,... Move it elsewhere if it does not belong to the edges")
		case line == 1:
			return nil
		}
		urls[row[0]] = row[1]
		return b.links.AddNode(row[1])
	})
	return urls, err
}

// eachRow reads a file of values separated by commas or tabs.
func eachRow(name string, yield func(line int, row []string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	head, err := in.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return fmt.Errorf("%s is no text: unpack it, or name another", name)
	}
	rows := csv.NewReader(in)
	rows.ReuseRecord, rows.FieldsPerRecord, rows.LazyQuotes, rows.Comment = true, -1, true, '#'
	if bytes.Count(head, []byte("\t")) > bytes.Count(head, []byte(",")) {
		rows.Comma = '\t'
	}
	for n := 1; ; n++ {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for i := range row {
			row[i] = strings.TrimSpace(strings.TrimPrefix(row[i], "\ufeff"))
		}
		if row[0] == "" && len(row) == 1 {
			continue
		}
		if err := yield(n, row); err != nil {
			line, _ := rows.FieldPos(0)
			return fmt.Errorf("%s: line %d: %w", name, line, err)
		}
	}
}

// prepareEdges makes the directory for a graph of edges, and refuses that of a crawl.
func (c *Config) prepareEdges() error {
	if info, err := os.Stat(c.From); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", c.From)
	}
	for _, name := range []string{report.LinksFile, report.PagesFile} {
		if _, err := os.Stat(filepath.Join(c.Dir, name)); err == nil {
			return fmt.Errorf("%s %w", c.Dir, ErrCrawl)
		}
	}
	return os.MkdirAll(c.Dir, 0o755)
}

// unjudged gives all nodes of a graph of edges the outcome Unknown: nothing was fetched.
func (b *builder) unjudged() error {
	b.manifest.Outcomes = map[string]int{Unknown.String(): b.manifest.Nodes}
	return durable.WriteFile(filepath.Join(b.tmp, nodesFile), newNodes(b.manifest.Nodes).bytes())
}
