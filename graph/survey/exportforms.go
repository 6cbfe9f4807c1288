package survey

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/xml"
	"path/filepath"
	"strconv"
)

// exportCSV writes what Spark's GraphFrames reads: edges with the columns src and dst, nodes
// with the column id.
func (s *Survey) exportCSV(ctx context.Context, dir string) error {
	err := writeFile(filepath.Join(dir, "edges.csv"), func(w *bufio.Writer) error {
		w.WriteString("src,dst\n")
		return s.eachLink(ctx, func(from, to int) error {
			b := strconv.AppendInt(w.AvailableBuffer(), int64(from), 10)
			b = strconv.AppendInt(append(b, ','), int64(to), 10)
			_, err := w.Write(append(b, '\n'))
			return err
		})
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "nodes.csv"), func(w *bufio.Writer) error {
		rows := csv.NewWriter(w)
		if err := rows.Write([]string{"id", "url", "outcome", "status", "reason", "depth", "seed"}); err != nil {
			return err
		}
		err := s.eachURL(ctx, func(v int, url string) error {
			return rows.Write(append([]string{strconv.Itoa(v), url}, s.nodes.at(v).fields()...))
		})
		rows.Flush()
		if err != nil {
			return err
		}
		return rows.Error()
	})
}

// fields are outcome, status, reason, depth and seed, as exports have them; status and depth
// of what is no page are empty.
func (n Node) fields() []string {
	status, depth := "", ""
	if n.Outcome == Page {
		status, depth = strconv.Itoa(n.Status), strconv.Itoa(n.Depth)
	}
	return []string{n.Outcome.String(), status, string(n.Reason), depth, strconv.FormatBool(n.Seed)}
}

const graphMLHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="url" for="node" attr.name="url" attr.type="string"/>
<key id="outcome" for="node" attr.name="outcome" attr.type="string"/>
<graph id="links" edgedefault="directed">
`

func (s *Survey) writeGraphML(ctx context.Context, w *bufio.Writer) error {
	w.WriteString(graphMLHead)
	err := s.eachURL(ctx, func(v int, url string) error {
		w.WriteString(`<node id="n` + strconv.Itoa(v) + `"><data key="url">`)
		if err := xml.EscapeText(w, []byte(url)); err != nil {
			return err
		}
		w.WriteString(`</data><data key="outcome">`)
		if err := xml.EscapeText(w, []byte(s.nodes.at(v).String())); err != nil {
			return err
		}
		_, err := w.WriteString("</data></node>\n")
		return err
	})
	if err != nil {
		return err
	}
	err = s.eachLink(ctx, func(from, to int) error {
		_, err := w.WriteString(`<edge source="n` + strconv.Itoa(from) + `" target="n` + strconv.Itoa(to) + "\"/>\n")
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.WriteString("</graph>\n</graphml>\n")
	return err
}
