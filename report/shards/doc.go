// Package shards reads the directories of a crawl that ran as several: those of a cluster, or any
// given one by one.
//
// A cluster's directory has cluster.json, which says how many shards the crawl has, and
// shards/NNN, each an ordinary crawl directory. A machine that did a part of the crawl has those
// of the shards that it worked on; of all machines' directories together Find takes each shard
// once: the copy whose crawl is complete, or else the one that was committed last. A shard that
// is missing is an error that names it.
//
// Report makes one report of them, by report.Merger, in about the time that reading their states
// and page records once takes.
package shards
