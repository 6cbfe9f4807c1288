package cluster

import (
	"github.com/cespare/xxhash/v2"

	"crawler/ring"
	"crawler/weburl"
)

// maxOwners is how many hosts an Owners remembers, some 100 bytes each. Then it forgets all.
const maxOwners = 1 << 16

// Owners says which shard a URL belongs to: the XXH64 of its registrable domain modulo the number
// of shards. A host that has no such domain, an address or localhost, stands for itself, without
// its port. An Owners is for one goroutine. A host that it knows costs a lookup.
type Owners struct {
	shards int
	of     map[string]int // by host
}

// NewOwners returns the Owners of a crawl divided into that number of shards.
func NewOwners(shards int) *Owners {
	return &Owners{shards: shards, of: map[string]int{}}
}

// Of returns u's shard.
func (o *Owners) Of(u weburl.URL) int {
	host := u.Hostname()
	s, ok := o.of[host]
	if ok {
		return s
	}
	if len(o.of) >= maxOwners {
		clear(o.of)
	}
	s = ring.Shard(xxhash.Sum64String(u.Domain()), o.shards)
	o.of[u.Clone().Hostname()] = s
	return s
}
