// Package lab runs the experiments of crawler lab: what each filter and sketch gains,
// beside exact answers, on the user's own data.
//
//   - Filters compares ways to remember URLs: false positives, time to ask, time to
//     insert, and the questions that break a multilayer filter as published.
//   - Theory prints the figures of the sources beside what the code computes, and
//     marks those that are misprints.
//   - Words counts the words of any text by every estimator and exactly.
//   - Restart simulates what a crawl loses and fetches twice under six ways to
//     restart a filter, on a link graph.
//   - Order crawls a link graph with the frontier in each order and reports how much of
//     its PageRank the first pages have.
//   - Sample draws positions and keys of a stream, and shows what each says of the whole.
//   - Stragglers names who is left of those who came and went.
//   - Digests lets two crawls exchange filters of what they have, which grow old.
//   - Dictionary counts the accesses to a disk that a filter saves, as Bloom did.
//   - Iceberg asks what occurs more often than a threshold, without a table of keys.
//   - Reconcile compares how two machines find what they differ in: bytes, rounds, what is
//     found.
//   - Ring compares how a crawl can be divided among crawlers: balance, what moves, and what it
//     means to divide by URL, host or domain.
//   - Chunks says how few chunks of a file are read for a value, by the size of the filter on
//     each.
//
// Every experiment returns a sheet.Sheet and prints nothing. The same seed gives the
// same figures, times aside. Experiments keep what they compare in memory: 600 bytes
// for each URL, 12 for each link and 200 for each address linked to, 100 for each different word.
// Limits are in the configurations and constants.
package lab
