// Package prometheus stands in for that of Prometheus' client in this program, by a replace
// directive in go.mod: Pebble measures some latencies by its histograms, which nobody here reads.
// The client would bring along protobuf, procfs and four more modules, 3 MB of binary and 4 MiB
// of memory from the first line of main on.
//
// It has what Pebble uses, under the same names. Histograms forget what they observe. Whoever
// builds Pebble into another program, be it by this module, gets the client itself, since replace
// directives hold for the main module alone.
package prometheus

// HistogramOpts has nothing to choose.
type HistogramOpts struct{ Buckets []float64 }

// Histogram takes what is observed.
type Histogram interface{ Observe(float64) }

type forgetful struct{}

func (forgetful) Observe(float64) {}

// NewHistogram returns a Histogram that forgets.
func NewHistogram(HistogramOpts) Histogram { return forgetful{} }

// LinearBuckets returns no bounds of buckets, since there are no buckets.
func LinearBuckets(_, _ float64, _ int) []float64 { return nil }

// ExponentialBucketsRange does the same.
func ExponentialBucketsRange(_, _ float64, _ int) []float64 { return nil }
