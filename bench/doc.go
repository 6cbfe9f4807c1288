// Package bench measures the program's sketches side by side with other
// people's. It is a module of its own, so that the program never depends on a
// rival. The race against other crawlers has many more dependencies and is a module
// below, rivals. There is nothing here but tests:
//
//	go test -count=1 -run TestSideBySide -v -timeout 20m .
//
// measures everything in interleaved rounds, prints tables and holds the ratios
// against the goals; a goal that is missed is printed as missed.
//
//	go test -run '^$' -bench . .
//
// measures each alone. The speed of a shared machine drifts, so a ratio counts
// only when both times are from one run of the first command.
//
// Words are counted twice: from empty, which is what a new sketch costs, and again,
// which is what it costs once it knows the words. Memory and accuracy differ: the
// tables and TestDistinctAccuracy say how. The cuckoo filter has its size by powers
// of two, and one million keys fill it to 95 %, where it is slow to insert.
//
// Environment: BENCH_ROUNDS (5) is the number of rounds, BENCH_LARGE=1 adds
// filters of 50 million keys (several minutes, 1 GB of memory), BENCH_TEXT names a
// file or a directory of HTML pages whose words are counted.
package bench
