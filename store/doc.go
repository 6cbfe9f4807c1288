// Package store keeps the part of a crawl that must survive: one directory with everything
// in it, which a kill at any instant leaves in a state that can be resumed.
//
// A Dir is that directory, open and locked. It has files of JSON lines (Lines), a state of
// ordered keys that change together (DB, in Pebble), of which the frontier's part has a
// form of its own (Queue), and the exact log of fingerprints (Sieve). The last successful
// DB.Commit decides what is durable:
//
//	b := dir.DB().NewBatch()
//	dir.Cut(b)                // lines into their files, their positions into b
//	b.Put(...)                // whatever else belongs to that moment
//	dir.Sync()                // the files to disk
//	dir.DB().Commit(b)        // and only now it is durable
//
// A commit costs one sync for each file that was written to, and one for the state: a few
// milliseconds in all on a disk of 2020. Opening after a crash reads at most 4 MiB of the
// state's log and cuts the files back to their committed positions.
//
// The first failed write or sync of a file, or of the state, is final for this process:
// it is then unknown what reached the disk, so nothing more is written there, and the error
// is returned by every later call. The directory is as a crash would have left it, and the
// next process continues from the last commit.
//
// docs/format/directory.md describes every byte.
package store
