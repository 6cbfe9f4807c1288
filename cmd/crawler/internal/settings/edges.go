package settings

import "errors"

// edges is the flag --edges: in which form every page's links are written, none if it is
// empty. What the flag meant while it was a switch still holds: in a configuration file,
// and in the crawl.json of a crawl of then.
type edges string

const (
	EdgesJSONL = "jsonl"
	EdgesCSV   = "csv"
	edgesNone  = "false"
)

func (e *edges) Type() string { return "choice" }
func (e *edges) String() string {
	if *e == "" {
		return edgesNone
	}
	return string(*e)
}

func (e *edges) Set(s string) error {
	switch s {
	case EdgesJSONL, "true":
		*e = EdgesJSONL
	case EdgesCSV:
		*e = EdgesCSV
	case edgesNone:
		*e = ""
	default:
		return errors.New("want jsonl or csv, written --edges=csv")
	}
	return nil
}
