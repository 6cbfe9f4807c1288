package graph

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Stats is what compressing a graph measured; the properties file holds the same.
type Stats struct {
	Nodes int
	Arcs  int64
	Bits  int64 // of the graph file

	// How the arcs were written.
	CopiedArcs, IntervalArcs, ResidualArcs int64
	// The bits of each part.
	BitsOutdegrees, BitsReferences, BitsBlocks, BitsIntervals, BitsResiduals int64

	refs, dists int64 // sums of the chains' lengths and of the references
}

// BitsPerLink returns the size of the graph file in bits an arc, 0 without arcs.
func (s Stats) BitsPerLink() float64 {
	return float64(s.Bits) / float64(max(s.Arcs, 1))
}

// graphClass is the class that reads the files in the framework.
const graphClass = "it.unimi.dsi.webgraph.BVGraph"

// maxProperties bounds the properties file in bytes; the framework's have about 1,000.
const maxProperties = 64 << 10

// properties returns the text of a properties file.
func properties(p Params, s Stats) []byte {
	var out bytes.Buffer
	out.WriteString("#BVGraph properties\n")
	set := func(key string, value any) { fmt.Fprintf(&out, "%s=%v\n", key, value) }
	average := func(key string, sum int64, of int64) {
		set(key, strconv.FormatFloat(math.Round(1000*float64(sum)/float64(max(of, 1)))/1000, 'f', -1, 64))
	}
	maxRefs := p.MaxRefs
	if maxRefs < 0 {
		maxRefs = unboundedRefs
	}
	n := int64(s.Nodes)
	set("version", 0)
	set("graphclass", graphClass)
	set("nodes", s.Nodes)
	set("arcs", s.Arcs)
	set("windowsize", p.Window)
	set("maxrefcount", maxRefs)
	set("minintervallength", p.MinInterval)
	if p.Residuals == Zeta {
		set("zetak", p.ZetaK)
	}
	set("compressionflags", p.flags())
	average("avgref", s.refs, n)
	average("avgdist", s.dists, n)
	set("copiedarcs", s.CopiedArcs)
	set("intervalisedarcs", s.IntervalArcs)
	set("residualarcs", s.ResidualArcs)
	average("bitsperlink", s.Bits, s.Arcs)
	average("bitspernode", s.Bits, n)
	for _, part := range []struct {
		name string
		bits int64
	}{
		{"outdegrees", s.BitsOutdegrees}, {"references", s.BitsReferences}, {"blocks", s.BitsBlocks},
		{"residuals", s.BitsResiduals}, {"intervals", s.BitsIntervals},
	} {
		average("avgbitsfor"+part.name, part.bits, n)
		set("bitsfor"+part.name, part.bits)
	}
	return out.Bytes()
}

// parseProperties reads what decoding needs from a properties file: parameters, nodes
// and arcs. Keys it does not know are passed over; of a key given twice the last counts,
// as in Java.
func parseProperties(text []byte) (p Params, nodes int, arcs int64, err error) {
	if len(text) > maxProperties {
		return p, 0, 0, fmt.Errorf("%d bytes: want at most %d", len(text), maxProperties)
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		values[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	if class := values["graphclass"]; class != graphClass && class != "class "+graphClass {
		return p, 0, 0, fmt.Errorf("graphclass %q: this package reads %s only", class, graphClass)
	}
	if endian := values["endianness"]; endian != "" && endian != "big" {
		return p, 0, 0, fmt.Errorf("endianness %q: this package reads big only", endian)
	}
	return numbers(values)
}

// numbers turns the values of a properties file into what they say.
func numbers(values map[string]string) (p Params, nodes int, arcs int64, err error) {
	number := func(key, absent string, limit int64) int64 {
		s, ok := values[key]
		if !ok {
			s = absent
		}
		v, perr := strconv.ParseInt(s, 10, 64)
		if err == nil && (perr != nil || v < -1 || v > limit) {
			err = fmt.Errorf("%s is %q: want a number up to %d", key, s, limit)
		}
		return v
	}
	if v := number("version", "0", math.MaxInt32); err == nil && v != 0 {
		return p, 0, 0, fmt.Errorf("version %d: this package reads 0 only", v)
	}
	nodes = int(number("nodes", "", maxNodes))
	arcs = number("arcs", "", math.MaxInt64)
	p = Params{
		Window:      int(number("windowsize", "", MaxWindow)),
		MaxRefs:     int(number("maxrefcount", "", unboundedRefs)),
		MinInterval: int(number("minintervallength", "", maxNodes)),
		ZetaK:       int(number("zetak", "3", maxZetaK)),
	}
	if err == nil {
		err = p.setFlags(values["compressionflags"])
	}
	if err == nil && (nodes < 0 || arcs < 0 || arcs > int64(nodes)*int64(nodes)) {
		err = fmt.Errorf("%d nodes with %d arcs: no graph has that", nodes, arcs)
	}
	if err == nil {
		p, err = p.normal()
	}
	return p, nodes, arcs, err
}
