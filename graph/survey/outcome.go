package survey

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"crawler/gate"
	"crawler/graph"
)

// Outcome is what became of a URL.
type Outcome uint8

// The outcomes. A URL that has several has the last of them.
const (
	Unknown  Outcome = iota // no record: not reached, or within a chain of redirects
	Refused                 // the crawl decided not to fetch it, for Node.Reason
	Failed                  // no answer, for Node.Reason
	Redirect                // it leads elsewhere; with a Reason if that was not followed
	Page                    // it answered with Node.Status
)

// String names the outcome, as exports do.
func (o Outcome) String() string {
	if int(o) < len(outcomes) {
		return outcomes[o]
	}
	return "outcome " + strconv.Itoa(int(o))
}

var outcomes = [...]string{"unknown", "refused", "failed", "redirect", "page"}

// Node is what is known of a URL.
type Node struct {
	Outcome Outcome
	Seed    bool
	HTML    bool        // of a Page: it is one for readers
	Status  int         // of a Page
	Depth   int         // of a Page: links from a seed as the crawl knew it, at most 65,535
	Reason  gate.Reason // of one not fetched
}

// String returns the outcome in a word or two.
func (n Node) String() string {
	switch {
	case n.Outcome == Page:
		return strconv.Itoa(n.Status)
	case n.Outcome == Unknown:
		return "no record"
	case n.Outcome == Redirect && !n.strayed():
		return "redirect"
	case n.Outcome == Refused:
		return "refused: " + string(n.Reason)
	}
	return "failed: " + string(n.Reason)
}

// strayed reports whether a URL's redirects lead nowhere.
func (n Node) strayed() bool {
	return n.Reason == gate.RedirectLoop || n.Reason == gate.RedirectLimit || n.Reason == gate.RedirectBad
}

// Broken reports whether a reader who follows a link to the node sees an error.
func (n Node) Broken() bool {
	return n.Outcome == Page && n.Status >= 400 || n.Outcome == Failed || n.Outcome != Page && n.strayed()
}

// good reports whether the node is a page for readers.
func (n Node) good() bool { return n.Outcome == Page && n.HTML && n.Status < 300 }

// The file of nodes: magic, the number of nodes and the length of the names of reasons as
// u32, these names joined by line ends, a record a node, and the CRC-32C of all before. A
// record is the outcome, flags, the status as u16, the reason's place among the names plus
// 1 (0: none), a zero, and the depth as u16. Numbers are little-endian.
const (
	nodesMagic  = "WEBNODE1"
	nodesHeader = len(nodesMagic) + 8
	nodeBytes   = 8

	flagSeed = 1
	flagHTML = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// nodes are the records of all nodes.
type nodes struct {
	reasons []string
	records []byte
}

func newNodes(n int) *nodes { return &nodes{records: make([]byte, n*nodeBytes)} }

func (t *nodes) count() int { return len(t.records) / nodeBytes }

// at returns the record of a node.
func (t *nodes) at(i int) Node {
	r := t.records[i*nodeBytes : (i+1)*nodeBytes]
	n := Node{
		Outcome: Outcome(r[0]), Seed: r[1]&flagSeed != 0, HTML: r[1]&flagHTML != 0,
		Status: int(binary.LittleEndian.Uint16(r[2:])), Depth: int(binary.LittleEndian.Uint16(r[6:])),
	}
	if r[4] > 0 {
		n.Reason = gate.Reason(t.reasons[r[4]-1])
	}
	return n
}

// set replaces the record of a node. A table has at most 255 reasons; the crawl has about
// 50.
func (t *nodes) set(i int, n Node) error {
	r := t.records[i*nodeBytes : (i+1)*nodeBytes]
	clear(r)
	r[0] = byte(n.Outcome)
	if n.Seed {
		r[1] |= flagSeed
	}
	if n.HTML {
		r[1] |= flagHTML
	}
	binary.LittleEndian.PutUint16(r[2:], uint16(min(max(n.Status, 0), math.MaxUint16)))
	binary.LittleEndian.PutUint16(r[6:], uint16(min(max(n.Depth, 0), math.MaxUint16)))
	if n.Reason == "" {
		return nil
	}
	place := slices.Index(t.reasons, string(n.Reason))
	if place < 0 {
		if place = len(t.reasons); place == math.MaxUint8 || strings.Contains(string(n.Reason), "\n") {
			return fmt.Errorf("reason %.60q: more than %d different ones, or of several lines", n.Reason, math.MaxUint8)
		}
		t.reasons = append(t.reasons, string(n.Reason))
	}
	r[4] = byte(place + 1)
	return nil
}

// bytes is the content of the file.
func (t *nodes) bytes() []byte {
	names := strings.Join(t.reasons, "\n")
	b := make([]byte, 0, nodesHeader+len(names)+len(t.records)+4)
	b = append(b, nodesMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(t.count()))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(names)))
	b = append(append(b, names...), t.records...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseNodes reads the content of the file, which it keeps.
func parseNodes(b []byte) (*nodes, error) {
	end := len(b) - 4
	if end < nodesHeader || string(b[:len(nodesMagic)]) != nodesMagic {
		return nil, fmt.Errorf("%w: it does not begin with %s", graph.ErrDamaged, nodesMagic)
	}
	if crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return nil, fmt.Errorf("%w: its checksum is wrong", graph.ErrDamaged)
	}
	n := uint64(binary.LittleEndian.Uint32(b[len(nodesMagic):]))
	names := uint64(binary.LittleEndian.Uint32(b[len(nodesMagic)+4:]))
	if uint64(end) != uint64(nodesHeader)+names+n*nodeBytes {
		return nil, fmt.Errorf("%w: %d bytes for %d nodes", graph.ErrDamaged, len(b), n)
	}
	t := &nodes{records: b[uint64(nodesHeader)+names : end]}
	if names > 0 {
		t.reasons = strings.Split(string(b[nodesHeader:uint64(nodesHeader)+names]), "\n")
	}
	for i := 0; i < len(t.records); i += nodeBytes {
		if t.records[i] > byte(Page) || int(t.records[i+4]) > len(t.reasons) {
			return nil, fmt.Errorf("%w: the record of node %d", graph.ErrDamaged, i/nodeBytes)
		}
	}
	return t, nil
}

// readNodes opens the file of nodes.
func readNodes(name string) (*nodes, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := parseNodes(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}
