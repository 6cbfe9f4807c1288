package ring

import (
	"cmp"
	"slices"
)

// Shard returns which of so many shards a key belongs to.
func Shard(key uint64, shards int) int { return int(key % uint64(max(shards, 1))) }

// Assign says which machine has each shard: it returns for each its place in nodes, or -1 if
// there are none. owners says who has them now, by name, with 0 for nobody; a shorter list is
// filled up with that.
//
// Each machine gets shards/n of them, rounded down or up. A shard stays where it is unless its
// machine is gone or has too many, so no assignment that is so balanced moves fewer. Which
// shards a machine gives away, and who gets them, follows from rendezvous weights: machines
// that know the same compute the same.
//
// It takes O(shards x nodes). With 8 shards a machine and more the rounding costs an eighth at
// most, and the differences between shards average out.
func Assign(shards int, nodes []Node, owners []Node) []int {
	to := make([]int, max(shards, 0))
	has := make([][]int, len(nodes)) // the shards of each machine
	var free []int
	for s := range to {
		to[s] = -1
		if s < len(owners) && owners[s] != 0 {
			to[s] = slices.Index(nodes, owners[s])
		}
		if to[s] < 0 {
			free = append(free, s)
		} else {
			has[to[s]] = append(has[to[s]], s)
		}
	}
	if len(nodes) == 0 {
		return to
	}
	room := targets(shards, nodes, has)
	for i, list := range has {
		// Those that it wants least go first.
		slices.SortFunc(list, func(a, b int) int {
			return cmp.Or(cmp.Compare(weight(nodes[i], uint64(b)), weight(nodes[i], uint64(a))), cmp.Compare(a, b))
		})
		if over := len(list) - room[i]; over > 0 {
			free = append(free, list[room[i]:]...)
			list = list[:room[i]]
		}
		room[i] -= len(list)
	}
	slices.Sort(free)
	for _, s := range free {
		best := -1
		for i, n := range nodes {
			if room[i] > 0 && (best < 0 || weight(n, uint64(s)) > weight(nodes[best], uint64(s))) {
				best = i
			}
		}
		to[s] = best
		room[best]--
	}
	return to
}

// targets returns how many shards each machine is to end with. The remainder goes to those that
// have most already.
func targets(shards int, nodes []Node, has [][]int) []int {
	order := make([]int, len(nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(has[b]), len(has[a])), cmp.Compare(weight(nodes[b], 0), weight(nodes[a], 0)), cmp.Compare(a, b))
	})
	room := make([]int, len(nodes))
	for rank, i := range order {
		room[i] = shards / len(nodes)
		if rank < shards%len(nodes) {
			room[i]++
		}
	}
	return room
}
