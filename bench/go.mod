module crawler/bench

go 1.26.0

replace crawler => ../

require (
	crawler v0.0.0-00010101000000-000000000000
	github.com/apache/datasketches-go v0.2.0
	github.com/axiomhq/hyperloglog v0.3.0
	github.com/bits-and-blooms/bloom/v3 v3.7.1
	github.com/cespare/xxhash/v2 v2.3.0
	github.com/greatroar/blobloom v0.8.0
	github.com/mfonda/simhash v0.0.0-20151007195837-79f94a1100d6
	github.com/seiflotfy/cuckoofilter v0.0.0-20240715131351-a2f2c23f1771
	golang.org/x/sync v0.24.0
	golang.org/x/tools v0.51.0
)

require (
	github.com/PuerkitoBio/goquery v1.13.0 // indirect
	github.com/andybalholm/cascadia v1.3.4 // indirect
	github.com/bits-and-blooms/bitset v1.24.2 // indirect
	github.com/dgryski/go-metro v0.0.0-20250106013310-edb8663e5e33 // indirect
	github.com/kamstrup/intmap v0.5.2 // indirect
	github.com/twmb/murmur3 v1.1.8 // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)
