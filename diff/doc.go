// Package diff finds what one crawl has and another lacks, when the two are on two machines
// and few bytes should pass between them.
//
// What is compared are items: URLs, or URLs with the digest of their text (What). Each side
// turns its items into 64-bit keys by a hash under a seed drawn for the comparison, since a
// crawl's own fingerprints have a secret seed and mean nothing elsewhere; keys are compared by
// one of the methods of package dedup (Method), and then the texts of those that differ are
// asked for.
//
//	a, b := diff.Local(crawlHere), diff.Remote(pipe) // the other end runs diff.Serve
//	result, err := diff.Compare(a, b, diff.Config{Seed: seed})
//
// # The protocol
//
// One side compares, and may have any two Peers; a Peer only answers (Serve). A message is one
// or more frames with a length and a checksum; docs/format/diff.md describes each. Over a stream
// that breaks anywhere Compare returns an error and no part of a result.
//
// # Limits
//
// The other side may be hostile. A message has at most 256 MiB and is read into memory as it
// arrives, never by what its length promises; a text must be a canonical URL and have one of
// the keys that were asked for; the work for a message is bounded by its length and the items
// of the side that answers. Whoever lies about a set gets a wrong answer for it, or an error:
// the sum of all keys is compared in the end. The package has no time limit; its stream should.
//
// A side of n items takes 20 bytes an item (50 with Merkle) and reads them once for their keys,
// and again for each answer with texts. Two items of one side have one key with a chance of
// n^2/2^65, 3e-8 for a million: one of them is then not seen.
//
// The package starts no goroutine, reads no clock and opens no file.
package diff
