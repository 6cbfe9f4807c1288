package inflate

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// texts are inputs of many kinds: those that compress hardly, by codes, by matches near and far.
func texts() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	random, skewed, far := make([]byte, 70_000), make([]byte, 100_000), make([]byte, 0, 200_000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for i := range skewed { // codewords of all lengths
		skewed[i] = byte(r.ExpFloat64() * 12)
	}
	for len(far) < 150_000 { // matches of all distances
		if n := r.IntN(400); len(far) > 40_000 && r.IntN(3) > 0 {
			at := len(far) - 1 - r.IntN(32_700)
			far = append(far, far[at:min(at+n, len(far))]...)
		} else {
			far = append(far, random[r.IntN(60_000):][:n]...)
		}
	}
	var page bytes.Buffer
	for i := range 4000 {
		fmt.Fprintf(&page, "<li><a href=\"/page/%d.html\">entry number %x</a></li>\n", i, i*i)
	}
	return map[string][]byte{
		"nothing": {}, "a byte": {7}, "two": []byte("ab"), "a word": []byte("inflate"), "page": page.Bytes(),
		"zeros": make([]byte, 300_000), "pairs": bytes.Repeat([]byte("ab"), 60_000), "sevens": bytes.Repeat([]byte("abcdefg"), 9000),
		"random": random, "skewed": skewed, "far": far, "stored": random[:65_535], "longer than stored": random[:65_537],
	}
}

var levels = []int{flate.HuffmanOnly, flate.NoCompression, flate.BestSpeed, 6, flate.BestCompression}

// packed is a text as gzip, zlib and bare deflate.
func packed(t testing.TB, level int, text []byte) (z, l, d []byte) {
	t.Helper()
	var out [3]bytes.Buffer
	a, err1 := gzip.NewWriterLevel(&out[0], level)
	b, err2 := zlib.NewWriterLevel(&out[1], level)
	c, err3 := flate.NewWriter(&out[2], level)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	a.Name, a.Comment, a.Extra = "a name", "a comment", []byte("more")
	for _, w := range []io.WriteCloser{a, b, c} {
		w.Write(text)
		w.Close()
	}
	return out[0].Bytes(), out[1].Bytes(), out[2].Bytes()
}

// all decodes by Append, with room for step bytes at a time.
func all(r *Reader, src io.Reader, f Format, step int) ([]byte, error) {
	r.Reset(src, f)
	out := make([]byte, 0, 1<<10)
	for {
		if len(out) == cap(out) {
			out = append(make([]byte, 0, 2*cap(out)), out...)
		}
		grown, err := r.Append(out[:len(out):min(cap(out), len(out)+step)])
		out = out[:len(grown)]
		if err == io.EOF {
			return out, nil
		} else if err != nil {
			return out, err
		}
	}
}

func TestEveryText(t *testing.T) {
	var r Reader
	for name, text := range texts() {
		for _, level := range levels {
			z, l, d := packed(t, level, text)
			for i, wire := range [][]byte{z, l, d} {
				f := Deflate
				if i == 0 {
					f = Gzip
				}
				for _, step := range []int{len(text) + 1000, len(text) + 1, 1 + len(text)/3, 4099} {
					got, err := all(&r, bytes.NewReader(wire), f, step)
					if err != nil || !bytes.Equal(got, text) {
						t.Fatalf("%s, level %d, form %d, %d bytes at a time: %d bytes of %d, %v", name, level, i, step, len(got), len(text), err)
					}
				}
				r.Reset(bytes.NewReader(wire), f)
				if got, err := io.ReadAll(&r); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s, level %d, form %d, by Read: %d bytes of %d, %v", name, level, i, len(got), len(text), err)
				}
				if len(text) < 1000 {
					if err := iotest.TestReader(reset(bytes.NewReader(wire), f), text); err != nil {
						t.Fatalf("%s, level %d: %v", name, level, err)
					}
				}
				r.Reset(iotest.OneByteReader(bytes.NewReader(wire)), f)
				if got, err := io.ReadAll(&r); err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s, level %d, form %d, a byte at a time: %d bytes of %d, %v", name, level, i, len(got), len(text), err)
				}
			}
		}
	}
}

func reset(src io.Reader, f Format) *Reader {
	r := new(Reader)
	r.Reset(src, f)
	return r
}

// Cut anywhere, the output is a beginning of the text, and the error that of the source, or says
// that there should be more.
func TestCut(t *testing.T) {
	var r Reader
	broken := errors.New("broken")
	for name, text := range texts() {
		z, _, d := packed(t, 6, text)
		for i, wire := range [][]byte{z, d} {
			step := max(1, len(wire)/200)
			before := 0
			for cut := 0; cut < len(wire); cut += step {
				got, err := all(&r, bytes.NewReader(wire[:cut]), Format(i), len(text)+50)
				want := io.ErrUnexpectedEOF
				if cut == 0 && i == 0 {
					want = nil // see all: io.EOF
				}
				if err != want || !bytes.HasPrefix(text, got) || len(got) < before {
					t.Fatalf("%s cut at %d of %d: %d bytes, before %d, %v", name, cut, len(wire), len(got), before, err)
				}
				before = len(got)
				again, err := all(&r, io.MultiReader(bytes.NewReader(wire[:cut]), iotest.ErrReader(broken)), Format(i), 999)
				if err != broken || !bytes.Equal(again, got) {
					t.Fatalf("%s broken at %d of %d: %d bytes, not %d, %v", name, cut, len(wire), len(again), len(got), err)
				}
			}
			if cut := len(wire) - 9; i == 0 && before < len(text) && cut > 0 {
				if got, _ := all(&r, bytes.NewReader(wire[:cut]), Format(i), len(text)+50); len(text)-len(got) > 300 {
					t.Errorf("%s: of %d bytes %d came before the end", name, len(text), len(got))
				}
			}
		}
	}
}

func TestMembers(t *testing.T) {
	one, _, _ := packed(t, 6, []byte("one "))
	two, _, _ := packed(t, 6, bytes.Repeat([]byte("two "), 20_000))
	none, _, _ := packed(t, 6, nil)
	wrongSum, wrongSize := bytes.Clone(two), bytes.Clone(two)
	wrongSum[len(two)-8] ^= 1
	wrongSize[len(two)-1] ^= 1
	texts := "one " + strings.Repeat("two ", 20_000)
	for name, c := range map[string]struct {
		wire []byte
		want string
		err  error
	}{
		"two":             {append(bytes.Clone(one), two...), texts, nil},
		"empty ones":      {append(append(bytes.Repeat(none, 900), one...), two...), texts, nil},
		"zeros behind":    {append(append(bytes.Clone(one), two...), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), texts, nil},
		"rubbish behind":  {append(bytes.Clone(one), "<!-- cached -->"...), "one ", nil},
		"half a header":   {append(bytes.Clone(one), two[:7]...), "one ", nil},
		"half a member":   {append(bytes.Clone(one), two[:40]...), "", io.ErrUnexpectedEOF},
		"wrong sum":       {wrongSum, strings.Repeat("two ", 20_000), ErrChecksum},
		"wrong size":      {wrongSize, strings.Repeat("two ", 20_000), ErrChecksum},
		"no header":       {[]byte("<!DOCTYPE html>"), "", ErrHeader},
		"a short one":     {[]byte{0x1f, 0x8b, 8}, "", io.ErrUnexpectedEOF},
		"another method":  {append([]byte{0x1f, 0x8b, 7}, one[3:]...), "", ErrHeader},
		"a name too long": {append(append([]byte{0x1f, 0x8b, 8, hasName, 0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{'n'}, 100_000)...), 0), "", io.ErrUnexpectedEOF},
	} {
		var r Reader
		got, err := all(&r, bytes.NewReader(c.wire), Gzip, 100_000)
		if err != c.err || c.want != "" && string(got) != c.want {
			t.Errorf("%s: %d bytes, %v, want %d, %v", name, len(got), err, len(c.want), c.err)
		}
		// A match must not begin before its member.
	}
	cross := append(bytes.Clone(one), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0)
	cross = append(cross, 0x03|0x02, 0x02, 0, 0, 0, 0, 0, 0, 0, 0) // fixed codes; a match first
	var r Reader
	if got, err := all(&r, bytes.NewReader(cross), Gzip, 1000); err != ErrCorrupt || string(got) != "one " {
		t.Errorf("a match before its member: %q, %v", got, err)
	}
}

// The sum over a header is checked where there is one.
func TestHeaderSum(t *testing.T) {
	_, _, d := packed(t, 6, []byte("text"))
	head := []byte{0x1f, 0x8b, 8, hasSum | hasExtra, 1, 2, 3, 4, 0, 3, 2, 0, 'x', 'y'}
	for want, right := range map[error]bool{ErrHeader: false, io.ErrUnexpectedEOF: true} {
		sum := uint16(0x5f30)
		if right {
			h := headerReader{r: &input{in: append(bytes.Clone(head), 0), end: len(head)}}
			for range head {
				h.next()
			}
			sum = uint16(h.sum)
		}
		wire := append(append(bytes.Clone(head), byte(sum), byte(sum>>8)), d...)
		var r Reader
		if got, err := all(&r, bytes.NewReader(wire), Gzip, 100); err != want || right != (string(got) == "text") {
			t.Errorf("%v: %q, %v", right, got, err)
		}
	}
}

// idle is a source that returns nothing.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestSourceWithoutProgress(t *testing.T) {
	var r Reader
	if _, err := all(&r, idle{}, Gzip, 100); err != io.ErrNoProgress {
		t.Error(err)
	}
}

// By Go's own decoder, as it is now.
func theirs(wire []byte) ([]byte, error) { return io.ReadAll(flate.NewReader(bytes.NewReader(wire))) }

// agree holds the decoder against Go's on any input.
func agree(t *testing.T, r *Reader, wire []byte, step int) {
	t.Helper()
	want, wantErr := theirs(wire)
	if len(wire) >= 2 && isZlib(wire) { // it would be taken for zlib
		return
	}
	got, err := all(r, bytes.NewReader(wire), Deflate, step)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%x: %v, Go's has %v", wire, err, wantErr)
	}
	// Of a corrupt one, each may have written what the other had not begun.
	if n := min(len(got), len(want)); err == nil && len(got) != len(want) || !bytes.Equal(got[:n], want[:n]) {
		t.Fatalf("%x: %d bytes, Go's has %d", wire, len(got), len(want))
	}
	if err != nil && len(got) < len(want) {
		t.Fatalf("%x: %d bytes before the error, Go's has %d", wire, len(got), len(want))
	}
	r.Reset(iotest.HalfReader(bytes.NewReader(wire)), Deflate)
	if again, e := io.ReadAll(r); e != err || !bytes.Equal(again, got) {
		t.Fatalf("%x: by Read %d bytes, %v, by Append %d, %v", wire, len(again), e, len(got), err)
	}
}

// Every first byte, with many a second one, and many damaged inputs.
func TestAsGoHasIt(t *testing.T) {
	var r Reader
	for n := 0; n < 1<<16; n += 11 {
		agree(t, &r, []byte{byte(n), byte(n >> 8)}, 300)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for _, text := range texts() {
		for _, level := range levels {
			_, _, wire := packed(t, level, text[:min(len(text), 9000)])
			for range 25 {
				bad := bytes.Clone(wire)
				for range 1 + random.IntN(3) {
					bad[random.IntN(min(len(bad), 400))] ^= 1 << random.IntN(8)
				}
				agree(t, &r, bad, 1+random.IntN(20_000))
			}
		}
	}
}

func FuzzDeflate(f *testing.F) {
	for _, text := range texts() {
		for _, level := range levels {
			_, _, d := packed(f, level, text[:min(len(text), 3000)])
			f.Add(d, 100)
		}
	}
	var r Reader
	f.Fuzz(func(t *testing.T, wire []byte, step int) {
		if len(wire) > 1<<14 {
			return
		}
		agree(t, &r, wire, 1+int(uint(step)%100_000))
	})
}

func FuzzGzip(f *testing.F) {
	for _, text := range texts() {
		z, _, _ := packed(f, 6, text[:min(len(text), 500)])
		f.Add(z)
		f.Add(append(bytes.Clone(z), z...))
	}
	var r Reader
	f.Fuzz(func(t *testing.T, wire []byte) {
		if len(wire) == 0 || len(wire) > 1<<14 {
			return
		}
		got, err := all(&r, bytes.NewReader(wire), Gzip, 5000)
		z, wantErr := gzip.NewReader(bytes.NewReader(wire))
		var want []byte
		if wantErr == nil {
			z.Multistream(false)
			want, wantErr = io.ReadAll(z)
		}
		// The first member alone is what both must have; a longer name or comment than Go
		// takes is taken, and text that is no Latin 1 is not looked at.
		if wantErr == nil && !bytes.HasPrefix(got, want) {
			t.Fatalf("%d bytes, %v, Go's has %d", len(got), err, len(want))
		}
		if wantErr != nil && wantErr != gzip.ErrHeader && err == nil {
			t.Fatalf("%d bytes, Go's has %v", len(got), wantErr)
		}
	})
}

// The tables are as large as the worst codes need, and no code makes build panic.
func FuzzBuild(f *testing.F) {
	f.Add([]byte{1, 2, 3, 3})
	f.Add(bytes.Repeat([]byte{15}, 288))
	f.Fuzz(func(t *testing.T, lengths []byte) {
		if len(lengths) > litSymbols {
			return
		}
		for i := range lengths {
			lengths[i] %= 16
		}
		var lits [litEntries]entry
		build(lits[:], litWidth, lengths, &litMeanings)
		var offs [offEntries]entry
		build(offs[:], offWidth, lengths[:min(len(lengths), offSymbols)], &offMeanings)
	})
}

// Complete codes at random, which are long for some symbols.
func TestCodesAtRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		lengths := make([]uint8, 0, litSymbols)
		for stack := []uint8{0}; len(stack) > 0; {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if n < maxCode && (n == 0 || r.IntN(10) < 6) && len(stack)+len(lengths) < litSymbols-2 {
				stack = append(stack, n+1, n+1)
				if r.IntN(2) == 0 {
					k := len(stack) - 1
					stack[0], stack[k] = stack[k], stack[0]
				}
			} else {
				lengths = append(lengths, n)
			}
		}
		r.Shuffle(len(lengths), func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
		var table [litEntries]entry
		if !build(table[:], litWidth, lengths, &litMeanings) {
			t.Fatalf("%v is a code", lengths)
		}
		code := 0
		for n := 1; n <= maxCode; n++ {
			for symbol, length := range lengths {
				if int(length) != n {
					continue
				}
				at := int(bits.Reverse16(uint16(code))>>(16-n)) | r.IntN(1<<maxCode)<<n
				e, taken := table[at&(1<<litWidth-1)], 0
				if e&link != 0 {
					e, taken = table[int(e>>16)+at>>litWidth&(1<<(e>>8&15)-1)], litWidth
				}
				if e != with(litMeanings[symbol], n-taken) {
					t.Fatalf("%v: codeword %0*b of symbol %d leads to %x", lengths, n, code, symbol, e)
				}
				code++
			}
			code <<= 1
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	text := texts()["page"][:200_000]
	z, _, _ := packed(b, 6, text)
	var r Reader
	dst := make([]byte, 0, len(text)+1)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Reset(bytes.NewReader(z), Gzip)
		out, err := r.Append(dst)
		if len(out) != len(text) || err != nil && err != io.EOF {
			b.Fatal(len(out), err)
		}
	}
}
