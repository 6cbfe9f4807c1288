// Package dedup answers a crawler's most frequent question, "have I seen this
// URL before?", exactly once with "new" for every URL, in little memory; and the
// one after it, "have I seen this text before?".
//
// # The problem
//
// A page has a hundred links and nearly all of them were seen before, so the
// question is asked a hundred times a page. A map of strings answers it for 100
// bytes a URL. A Bloom filter (Bloom 1970) takes two: an array of m bits in
// which every key sets k, chosen by hash functions. A key one of whose bits is
// not set was certainly never added: the filter says "new". A key all of whose
// bits are set was probably added; or other keys happened to set its bits, a
// false positive. So the filter's other answer is "maybe". New keys get it at a
// rate of (1 - e^(-kn/m))^k when n keys were added.
//
// For a crawler a false positive is a page that is never fetched, and nobody
// notices. So this package does three more things:
//
//   - it checks every "maybe" against an exact log of what was admitted, so
//     that no page is lost, counts the false positives it finds, and says with
//     what confidence it knows the filter's rate (SeenTest, Stats);
//   - it restarts the filter with a new seed and the right size from that log,
//     so that a crawl of any length keeps the rate it asked for, and URLs that one
//     epoch confuses are distinct in the next;
//   - it keeps the seed secret, so that no site can craft URLs that the filter
//     confuses.
//
// # The types
//
// SeenTest is what a crawl uses: its Admit says once for each URL that it is new. There
// are three of them. InMemory keeps the log in memory. Logged is for a crawl that survives
// its process, or outgrows memory: its log is on disk, Admit may say Maybe, and the caller
// reports what the log says by Found or NotFound; a cache of recent URLs answers most of
// those questions. FilterOnly keeps no log, and says how many pages that has cost.
//
// Multilayer is the filter inside. It cuts a URL into segments (origin, path
// segments, query) and has, besides an array of whole URLs, one small layer for
// the prefixes of 1, 2, ... segments. A prefix that its layer does not know
// proves that nothing below it was ever added: new hosts and new directories
// are recognised at once, whatever the last array answers, and LayerOf says at which
// segment a URL leaves what is known.
//
// Bloom is one array: a split-block filter, in which a key has its eight bits
// in one cache line of 512. That costs one memory access instead of eight, and
// somewhat more bits, because some lines get more keys than others: 15.7 bits a
// key for a rate of 1e-3 instead of 14.4. For rates below 4e-4 a key takes two
// lines. Size, SizeFor and SizeWithin compute with the true rates.
//
// Set is the log: sorted 64-bit fingerprints in memory.
//
// Spectral is a Bloom filter that counts: how many links lead to a page, how many
// URLs a host has, for 8 bytes a key and without the keys.
//
// Classic is Bloom's filter of 1970, for the formulas (ClassicRate, BestK, BitsFor)
// and for comparison; so are PublishedMultilayer and SegmentBloom.
//
// MinHash makes signatures of 128 bytes from which the resemblance of two texts is estimated,
// and an LSH finds those that are probably similar. Package near finds the clusters of a crawl.
//
// Rateless and Difference find the keys in which two machines differ, in some 18 bytes a key
// that only one has; so does Ranges, in many small messages. Golomb and MerkleFilter tell the
// other machine approximately, in one message. URLHash makes the keys.
//
// Filters of one size and seed have a union and an intersection. What a crawl saves of its
// SeenTest has a versioned binary form with a checksum, and so has Bloom
// (docs/format/sketches.md). It contains the seed, so it is as secret as that is.
//
// # The published multilayer filter
//
// Cen, Xu and Sun (2010, "Multilayer Bloom filter") hash segment i into layer i
// with the same functions everywhere and combine the addresses by XOR in the
// last array. XOR forgets the order, so swapped segments look alike, equal ones
// cancel, and depth beyond the layers is not looked at: on a million real URLs
// 17 to 57 percent of the new ones were taken for seen, where a plain filter of
// that memory errs in 0.1 percent. Here a running sum of 128 bits with secret
// factors for every place takes the place of XOR, the last array has the sum over
// all segments through a mix, and each array has the size its contents need; the
// rate is then that of a plain filter as large as the last array. At equal memory it
// is higher, as the layers take up to an eighth: at 16 bits a URL 1.9e-3 where a Bloom
// has 9e-4. docs/design/001-multilayer-filter.md says more.
//
// # Costs
//
// For a rate of 1e-3 the filter takes 18 bits a URL and the log about 80, and as
// much for each distinct prefix (0.2 a URL, typically). Asking an InMemory about a URL
// it knows takes 0.1 to 0.2 µs among a million, most of it for a cache miss; a restart 15
// to 30 ns for each URL in the log. Only growth allocates. A Logged keeps the filter, the
// tail of the log that is not written yet, and 2 MiB of caches at most.
//
// # Limits
//
// The package starts no goroutine, takes no lock and reads no clock. Its types
// belong to one goroutine each: sharing the bits by atomic operations would not
// make "exactly once" true. The log knows a URL only by its 64-bit fingerprint.
// CollisionProbability says what that risks: among a billion URLs the chance that one
// is lost is 2.7 percent. The log on disk is the caller's: this package writes no file.
package dedup
