package dedup

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"crawler/internal/binform"
)

// fuzzNearForm is the body of a fuzz target: data is taken for a form, and for the
// fields of one. Good ones must come back equal and pass use; bad ones must
// change nothing.
func fuzzNearForm(f *testing.F, name string, kind binform.Kind, use func(t *testing.T, f form)) {
	for _, v := range nearForms(f, 5)[name] {
		data := nearEncoded(f, v)
		f.Add(data)
		f.Add(data[16 : len(data)-8])
	}
	for _, bad := range nearFields() {
		if bad.kind == kind {
			f.Add(bad.fields)
		}
	}
	old := nearForms(f, 5)[name][0]
	before := nearEncoded(f, old)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:min(len(data), 1<<12)]
		for _, data := range [][]byte{data, framed(kind, data)} {
			v := nearFresh(old)
			if err := v.UnmarshalBinary(data); err != nil {
				if err := old.UnmarshalBinary(data); err == nil || !bytes.Equal(nearEncoded(t, old), before) {
					t.Fatalf("changed by what was refused: %v", err)
				}
				continue
			}
			if again := nearEncoded(t, v); !bytes.Equal(again, data) {
				t.Fatalf("%x comes back as %x", data, again)
			}
			use(t, v)
		}
	})
}

func FuzzSignatureUnmarshal(f *testing.F) {
	fuzzNearForm(f, "Signature", kindSignature, func(t *testing.T, f form) {
		s := *f.(*Signature)
		if j, err := s.Similarity(s); j != 1 || err != nil {
			t.Fatalf("it resembles itself by %v, %v", j, err)
		}
		l := mustLSH(t, LSHConfig{MinHash: s.Config()})
		if err := l.Add(1, s); err != nil {
			t.Fatal(err)
		}
		if ids, err := l.Candidates(nil, s); err != nil || len(ids) == 1 == s.Empty() {
			t.Fatalf("found as %v, %v", ids, err)
		}
	})
}

func FuzzLSHUnmarshal(f *testing.F) {
	fuzzNearForm(f, "LSH", kindLSH, func(t *testing.T, f form) {
		l := f.(*LSH)
		s := mustMinHash(t, l.cfg.MinHash).Sketch(Signature{}, []uint64{1})
		if l.Len() > 0 { // its first document is in its buckets for certain
			s.lanes = l.lanes[:l.cfg.MinHash.lanes()]
			if ids, err := l.Candidates(nil, s); err != nil || !slices.Contains(ids, l.ids[0]) {
				t.Fatalf("the first document is not among %v, %v", ids, err)
			}
		}
		if err := errors.Join(l.Add(5, s), l.Merge(l)); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDuplicatesUnmarshal(f *testing.F) {
	fuzzNearForm(f, "Duplicates", kindDuplicates, func(t *testing.T, f form) {
		d := f.(*Duplicates)
		words := []uint64{1, 2, 3, 4}
		_, err1 := d.Add(5, words)
		again, err2 := d.Add(6, words)
		if err := errors.Join(err1, err2); err != nil || again.Verdict != SameText {
			t.Fatalf("a page is %v the second time, %v", again.Verdict, err)
		}
	})
}

func FuzzHammingIndexUnmarshal(f *testing.F) {
	fuzzNearForm(f, "HammingIndex", kindHamming, func(t *testing.T, f form) {
		x := f.(*HammingIndex)
		if err := errors.Join(x.Add(5, 77), x.Merge(x)); err != nil {
			t.Fatal(err)
		}
		for i, h := range x.hashes {
			if ids := x.Find(nil, h^1<<i%64, 1); !slices.Contains(ids, x.ids[i]) {
				t.Fatalf("document %d is not among %v", i, ids)
			}
		}
	})
}
