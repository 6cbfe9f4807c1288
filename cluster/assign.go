package cluster

import (
	"slices"

	"github.com/cespare/xxhash/v2"

	"crawler/ring"
)

// Claim says who has a shard, and where its directory is. Its revision in the broker is the
// shard's epoch.
type Claim struct {
	Node string `json:"node"` // "" has given it back
	// At is where the directory is; without a name there is none yet.
	At       Member `json:"at"`
	Restored bool   `json:"restored,omitempty"` // it began from a checkpoint
}

// reaches reports whether a node can probably open a directory of another one.
func (m Member) reaches(other Member) bool {
	return m.Disk == other.Disk || m.Machine != "" && m.Machine == other.Machine
}

// Assign says which of the live nodes is to have each shard, by name; "" if none lives. It is a
// function of its arguments, so that nodes that know the same agree: ring.Assign, sticky and
// bounded, but for the shards of the dead. Those go to a node that can open the directory, if one
// lives, and may move on from there.
func Assign(claims []Claim, live []Member) []string {
	nodes, owners := make([]ring.Node, len(live)), make([]ring.Node, len(claims))
	byName := map[string]ring.Node{}
	for i, m := range live {
		nodes[i] = ring.Node(xxhash.Sum64String(m.Name))
		byName[m.Name] = nodes[i]
	}
	first := make([]string, len(claims)) // who can open a dead node's directory
	for s, c := range claims {
		if owners[s] = byName[c.Node]; owners[s] != 0 || c.Node == "" || c.At.Name == "" {
			continue
		}
		if near := nearest(uint64(s), c.At, live); near != "" {
			first[s], owners[s] = near, byName[near]
		}
	}
	to := ring.Assign(len(claims), nodes, owners)
	names := make([]string, len(claims))
	for s, i := range to {
		if first[s] != "" {
			names[s] = first[s]
		} else if i >= 0 {
			names[s] = live[i].Name
		}
	}
	return names
}

// nearest returns the node that takes a shard whose directory is at a place, of those that reach
// it; "" if none does.
func nearest(shard uint64, at Member, live []Member) string {
	// The same disk is surer than the same machine.
	near := slices.DeleteFunc(slices.Clone(live), func(m Member) bool { return m.Disk != at.Disk })
	if len(near) == 0 {
		near = slices.DeleteFunc(slices.Clone(live), func(m Member) bool { return !m.reaches(at) })
	}
	nodes := make([]ring.Node, len(near))
	for i, m := range near {
		nodes[i] = ring.Node(xxhash.Sum64String(m.Name))
	}
	if i := ring.Rendezvous(nodes, shard); i >= 0 {
		return near[i].Name
	}
	return ""
}
