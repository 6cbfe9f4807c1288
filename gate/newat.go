package gate

import (
	"strings"

	"crawler/dedup"
	"crawler/weburl"
)

// NewAt says at which of its parts a URL became new when it was admitted: the first one that no
// URL admitted before it had there, below the same parts. One byte; 0 is not known, as of URLs
// that an earlier version admitted.
type NewAt uint8

// The parts. A host with another port or scheme is another one.
const (
	AtHost      NewAt = iota + 1
	AtDirectory       // a segment of the path with others below it
	AtFile            // the last segment of the path
	AtQuery
	AtDeeper // a directory, the file or the query, below the prefixes that the filter's layers know

	// Estimated is set beside a part where the filter has said so and not a log: a new part may
	// pass for a known one, as seldom as its layers err.
	Estimated NewAt = 1 << 7
)

var newAtNames = [...]string{"", "host", "directory", "file", "query", "deeper"}

// Part returns the part: "host", "directory", "file", "query" or "deeper"; "" if it is not known.
func (n NewAt) Part() string {
	if part := int(n &^ Estimated); part < len(newAtNames) {
		return newAtNames[part]
	}
	return ""
}

// newAt says where a URL that was just admitted became new.
func newAt(u weburl.URL, known dedup.KnownPrefix, layers int) (n NewAt) {
	path := 1 + strings.Count(u.Path(), "/") // the number of the file's segment, the host's being 1
	switch segment := known.Segments + 1; {
	case segment == 1:
		n = AtHost
	case known.Segments == layers && (segment < path || segment == path && u.HasQuery()):
		n = AtDeeper
	case segment < path:
		n = AtDirectory
	case segment == path:
		n = AtFile
	default:
		n = AtQuery
	}
	if !known.Exact {
		n |= Estimated
	}
	return n
}

// NewAtCounts counts URLs by where they became new.
type NewAtCounts struct {
	Host      int `json:"host"`
	Directory int `json:"directory"`
	File      int `json:"file"`
	Query     int `json:"query"`
	Deeper    int `json:"deeper"`
	Estimated int `json:"estimated"` // of all these
}

func (c *NewAtCounts) add(n NewAt) {
	if n&Estimated != 0 {
		c.Estimated++
	}
	switch n &^ Estimated {
	case AtHost:
		c.Host++
	case AtDirectory:
		c.Directory++
	case AtFile:
		c.File++
	case AtQuery:
		c.Query++
	case AtDeeper:
		c.Deeper++
	}
}
