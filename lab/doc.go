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
//
// Every experiment returns a sheet.Sheet and prints nothing. The same seed gives the
// same figures, times aside. Experiments keep what they compare in memory: 600 bytes
// for each URL, 12 for each link and 200 for each address linked to, 100 for each different word.
// Limits are in the configurations and constants.
package lab
