// Package cluster runs one crawl on many machines. The crawl is divided into shards, each a whole
// crawl directory with an engine of its own (crawl.Shard); nodes, one process each, own some of
// the shards at a time; what they tell each other goes by a NATS broker with JetStream.
//
//   - A URL belongs to the shard of its registrable domain (Owners), for good.
//   - A shard belongs to a node by its claim in the broker: a record that is changed by
//     compare-and-swap, whose revision is the shard's epoch. Which node should have which shard is
//     computed by each node (Assign), and a claim makes it so.
//   - A node may send requests while its lease stands: a key in a table of the broker's memory that
//     expires unless it is renewed. It is asked before each page, by the monotonic clock.
//   - Links to other shards wait in the outbox of their shard's commit until the broker has
//     acknowledged them; the position in the stream of links that arrive is in the same commit.
//     So all that the broker is trusted with is to keep what it has acknowledged until it is
//     asked to purge it.
//   - A shard whose node died continues from its directory, where another node can open that,
//     else from its last checkpoint.
//   - The crawl ends when all shards are idle, have settled all messages, and are kept (see lead).
//   - Limits of pages are granted to shards, so that all together never exceed them (grant).
//
// docs/format/cluster.md has the broker's objects and the bytes of messages, docs/cluster.md what
// an operator does. The package prints nothing and knows no flags: who makes the engine of a shard
// is a function of its caller's (Node.Run).
package cluster
