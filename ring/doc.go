// Package ring says which of several machines a key belongs to, so that each can compute it
// without asking, and little moves when one leaves or joins.
//
//   - Ring is consistent hashing (Karger and others 1997, "Consistent hashing and random
//     trees"): machines and keys on a circle, a key belongs to the first machine from it on.
//   - Rendezvous is highest random weight (Thaler and Ravishankar 1998, "Using name-based
//     mappings to increase hit rates"): a key belongs to the machine with which its hash is
//     highest.
//   - Assign divides a fixed number of shards, so that a key's shard never changes, and no
//     machine has more than its share, one shard at most: as balanced as shards can be, with the
//     fewest moves.
//
// Keys are 64-bit hashes, and so are the names of machines (Node); both should be uniform. The
// package is pure: all of it is a function of its arguments, on every machine the same.
package ring
