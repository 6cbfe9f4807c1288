package cluster

import (
	"fmt"
	"regexp"
	"strconv"
)

// names are what a crawl's objects in the broker are called. docs/format/cluster.md lists them.
type names struct{ id string }

// isID is what a crawl's id looks like.
var isID = regexp.MustCompile(`^[0-9a-f]{8}$`)

// linksStream finds the crawl in the name of its stream of links.
var linksStream = regexp.MustCompile(`^C_([0-9a-f]{8})_LINKS$`)

func (n names) links() string       { return "C_" + n.id + "_LINKS" }
func (n names) dead() string        { return "C_" + n.id + "_DLQ" }
func (n names) nodes() string       { return "C_" + n.id + "_NODES" }
func (n names) shards() string      { return "C_" + n.id + "_SHARDS" }
func (n names) status() string      { return "C_" + n.id + "_STATUS" }
func (n names) conf() string        { return "C_" + n.id + "_CONF" }
func (n names) checkpoints() string { return "C_" + n.id + "_CHECKPOINTS" }

// linksTo is the subject of links to a shard, deadOf that of its messages that were set aside.
func (n names) linksTo(shard int) string { return fmt.Sprintf("c.%s.links.%d", n.id, shard) }
func (n names) deadOf(shard int) string  { return fmt.Sprintf("c.%s.dlq.%d", n.id, shard) }

// Keys of the tables.
const (
	keySettings = "settings"
	keySeeds    = "seeds" // .0, .1, ... of chunks
	keyState    = "state"
	keyBudget   = "budget"
)

func shardKey(s int) string      { return "s" + strconv.Itoa(s) }
func checkpointKey(s int) string { return "checkpoint" + strconv.Itoa(s) }

// shardOfKey reads what shardKey wrote; ok is false for other keys.
func shardOfKey(key string) (s int, ok bool) {
	if len(key) < 2 || key[0] != 's' {
		return 0, false
	}
	s, err := strconv.Atoi(key[1:])
	return s, err == nil && s >= 0
}

// ShardName is the name of a shard's directory below shards/.
func ShardName(shard int) string { return fmt.Sprintf("%03d", shard) }
