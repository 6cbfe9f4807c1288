// Package chunk finds a value in files of records by reading few of them: a file is cut into
// chunks, and a Bloom filter on each chunk says for certain that a value is not there, or else
// maybe (Ullman, "Mining Data Streams", a filter on each chunk of a relation in a distributed file
// system; HBase's filters on the blocks of its files).
//
// A Builder makes the filters while records are appended, and gives an entry for the sidecar file
// whenever a chunk is full: docs/format/chunks.md describes the bytes. Ask reads a sidecar and
// says what must be read for a value. What no entry covers must be read: a sidecar may lag, be
// damaged or be missing, and that costs reading, never an answer.
//
// A value that is present is found by reading its own chunk and, of the n others, the share that
// the filters' rate states: 1 + n·rate. An absent one reads n·rate. With the sizes of URLs a
// record costs 2.4 bytes and 60 ns; with those of words a page costs 150 to 200 bytes, and
// 14 ns a word. The package reads no clock, starts no goroutine and opens no file.
package chunk
