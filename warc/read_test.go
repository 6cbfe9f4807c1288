package warc

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// forms are the ways in which a file may be written.
func forms(t testing.TB) map[string]func(records ...Record) []byte {
	t.Helper()
	dictionary := bytes.Repeat([]byte("WARC-Type: response\r\nContent-Type: text/html "), 20)
	compressed := func(c Compression, stored bool) func(...Record) []byte {
		return func(records ...Record) (file []byte) {
			w, err := NewCompressor(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				if file, err = w.Append(file, r.Header, r.Block, stored); err != nil {
					t.Fatal(err)
				}
			}
			return file
		}
	}
	return map[string]func(...Record) []byte{
		"gzip": compressed(Gzip, false), "gzip, stored": compressed(Gzip, true), "zstd": compressed(Zstd, false),
		"not compressed": func(records ...Record) (file []byte) {
			for i := range records {
				file = AppendRecord(file, &records[i])
			}
			return file
		},
		"zstd behind a skippable frame": func(records ...Record) []byte {
			head, err := AppendDictionary(nil, dictionary)
			if err != nil {
				t.Fatal(err)
			}
			return append(head, compressed(Zstd, false)(records...)...)
		},
	}
}

func record(kind, id string, block []byte) Record {
	return Record{Header{{FieldType, kind}, {FieldRecordID, id}, {FieldDate, "2026-01-02T03:04:05Z"}, {FieldTargetURI, "http://a.example/" + id}}, block}
}

// some records: empty, short, large and hard to compress.
func some(rnd *rand.Rand) (list []Record) {
	for i := range 12 {
		block := make([]byte, []int{0, 1, 100, 3000, 200_000}[i%5])
		for j := range block {
			if block[j] = byte('a' + j%7); i%3 == 0 {
				block[j] = byte(rnd.Uint32())
			}
		}
		list = append(list, record(Response, fmt.Sprint(i), block))
	}
	return list
}

// read reads a file whole, and past damage.
func read(t testing.TB, file []byte, from, to int64) (found []Record, at []int64, damages []*Damage) {
	t.Helper()
	r := NewReader(bytes.NewReader(file), "f", from, to, int64(len(file)), Limits{})
	for {
		f, err := r.Next()
		var d *Damage
		switch {
		case errors.Is(err, io.EOF):
			return found, at, damages
		case errors.As(err, &d):
			if damages = append(damages, d); len(damages) > len(file)+1 {
				t.Fatal("damage without end")
			}
			continue
		case err != nil:
			t.Fatal(err)
		}
		block, err := io.ReadAll(f)
		if _, finished := r.Finish(); finished != nil {
			if !errors.As(finished, &d) {
				t.Fatalf("%v is no damage", finished)
			}
			damages = append(damages, d)
			continue
		}
		if err != nil {
			t.Fatalf("%v is forgotten", err)
		}
		found, at = append(found, Record{f.Header, block}), append(at, f.Offset)
	}
}

// Every form is read as it was written, whole and in parts, and each record's length is the
// distance to the next.
func TestReaderReadsWhatIsWritten(t *testing.T) {
	for name, write := range forms(t) {
		want := some(rand.New(rand.NewPCG(1, 2)))
		file := write(want...)
		got, at, damages := read(t, file, 0, int64(len(file)))
		if len(got) != len(want) || len(damages) > 0 {
			t.Fatalf("%s: %d records, %v", name, len(got), damages)
		}
		for i, r := range got {
			if r.Header.Get(FieldRecordID) != fmt.Sprint(i) || !bytes.Equal(r.Block, want[i].Block) || r.Header.TargetURI() != "http://a.example/"+fmt.Sprint(i) {
				t.Errorf("%s: record %d has %v and %d bytes", name, i, r.Header, len(r.Block))
			}
		}
		part, _, _ := read(t, file, at[3], at[7])
		if len(part) != 4 || part[0].Header.Get(FieldRecordID) != "3" {
			t.Errorf("%s: from record 3 to 7 there are %d", name, len(part))
		}
		r := NewReader(bytes.NewReader(file), "f", 0, int64(len(file)), int64(len(file)), Limits{})
		for i := range at[1:] {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			if n, err := r.Finish(); err != nil || at[i]+n != at[i+1] && !strings.Contains(name, "skippable") {
				t.Errorf("%s: record %d at %d has %d bytes, the next is at %d, %v", name, i, at[i], n, at[i+1], err)
			}
		}
	}
}

// Whatever byte of one record is damaged, the others are read, and the damage is reported with the
// record's place.
func TestReaderFindsWhatIsBehindDamage(t *testing.T) {
	for name, write := range forms(t) {
		records := []Record{record(Response, "0", []byte("first")), record(Response, "1", bytes.Repeat([]byte("damaged "), 9)), record(Response, "2", []byte("last"))}
		file := write(records...)
		_, at, _ := read(t, file, 0, int64(len(file)))
		missed := 0
		for i := at[1]; i < at[2]; i++ {
			bad := bytes.Clone(file)
			bad[i] ^= 0x55
			got, _, damages := read(t, bad, 0, int64(len(bad)))
			ids := ""
			for _, r := range got {
				ids += r.Header.Get(FieldRecordID)
			}
			if !strings.HasPrefix(ids, "0") || !strings.HasSuffix(ids, "2") {
				t.Fatalf("%s: byte %d is damaged: %q are read, %v", name, i-at[1], ids, damages)
			}
			if len(damages) == 0 {
				missed++ // in a file that is not compressed no checksum tells
			} else if damages[0].Offset != at[1] && damages[0].Offset != at[0] || damages[0].File != "f" {
				t.Fatalf("%s: byte %d is damaged: %v", name, i, damages[0])
			}
		}
		if missed > 12 && name != "not compressed" {
			t.Errorf("%s: %d of %d damages are not noticed", name, missed, at[2]-at[1])
		}
		for cut := at[2] + 1; cut < int64(len(file)); cut += 7 {
			got, _, damages := read(t, file[:cut], 0, cut)
			if len(got) != 2 || len(damages) == 0 || !damages[0].Torn() {
				t.Fatalf("%s: cut at %d: %d records, %v", name, cut, len(got), damages)
			}
		}
	}
}

// What the standard does not allow, and what is beyond the limits, is refused; section numbers
// are those of WARC 1.1.
func TestReaderIsStrict(t *testing.T) {
	const good = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <a:b>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: 2\r\n"
	for name, text := range map[string]string{
		"4: another version":           strings.Replace(good, "1.1", "0.18", 1) + "\r\nab\r\n\r\n",
		"4: a line feed alone":         strings.ReplaceAll(good, "\r\n", "\n") + "\nab\n\n",
		"4: no end":                    good + "\r\nab\r\n",
		"4: another end":               good + "\r\nab\r\nxx",
		"4: a field without a colon":   good + "none\r\n\r\nab\r\n\r\n",
		"4: a name with a space":       good + "a b: c\r\n\r\nab\r\n\r\n",
		"4: a continuation of nothing": strings.Replace(good, "\r\n", "\r\n x\r\n", 1) + "\r\nab\r\n\r\n",
		"4: a NUL byte":                good + "a: \x00\r\n\r\nab\r\n\r\n",
		"5.2: no record ID":            strings.Replace(good, "WARC-Record-ID", "X", 1) + "\r\nab\r\n\r\n",
		"5.3: no length":               strings.Replace(good, "Content-Length", "X", 1) + "\r\nab\r\n\r\n",
		"5.3: two lengths":             good + "Content-Length: 2\r\n\r\nab\r\n\r\n",
		"5.3: a negative length":       strings.Replace(good, "Length: 2", "Length: -2", 1) + "\r\nab\r\n\r\n",
		"5.4: no date":                 strings.Replace(good, "WARC-Date", "X", 1) + "\r\nab\r\n\r\n",
		"5.5: no type":                 strings.Replace(good, "WARC-Type", "X", 1) + "\r\nab\r\n\r\n",
		"a huge length":                strings.Replace(good, "Length: 2", "Length: 9223372036854775807", 1) + "\r\nab\r\n\r\n",
		"a length beyond 63 bits":      strings.Replace(good, "Length: 2", "Length: 18446744073709551615", 1) + "\r\nab\r\n\r\n",
		"very many fields":             good + strings.Repeat("a: b\r\n", 1001) + "\r\nab\r\n\r\n",
		"a very long field":            good + "a: " + strings.Repeat("b", 300<<10) + "\r\n\r\nab\r\n\r\n",
		"no WARC":                      "hello\r\n",
	} {
		if got, _, damages := read(t, []byte(text), 0, int64(len(text))); len(got) > 0 || len(damages) == 0 {
			t.Errorf("%s: %v, %v", name, got, damages)
		}
	}
	folded := good + "Long: a\r\n  b\r\n\tc\r\n\r\nab\r\n\r\n"
	if got, _, damages := read(t, []byte(folded), 0, int64(len(folded))); len(got) != 1 || got[0].Header.Get("long") != "a b c" {
		t.Errorf("a continued field: %v, %v", got, damages)
	}
}

// zeros is a gzip member that begins with head and goes on with n MiB of zeros; its end is missing.
func zeros(t *testing.T, head string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	b.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(head))
	w.Flush()
	block, last := make([]byte, 1<<20), 0
	for range 2 {
		last = b.Len()
		w.Write(block)
		w.Flush()
	}
	again := bytes.Clone(b.Bytes()[last:])
	b.Write(bytes.Repeat(again, n-2))
	return b.Bytes()
}

// A member of a gigabyte of zeros costs neither memory nor, unless its length says so, time: with
// no fields at all, with a field without end, or with zeros behind its block.
func TestReaderIsNoBombsVictim(t *testing.T) {
	const fields = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <a:b>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: "
	for name, c := range map[string]struct {
		head string
		sum  int64 // of what is read
	}{
		"no record":            {"", 0},
		"a field without end":  {"WARC/1.1\r\na: ", 0},
		"zeros behind a block": {fields + "2\r\n\r\nab\r\n\r\n", 2},
		"more than the limit":  {fields + "1073741825\r\n\r\n", 0},
	} {
		bomb := zeros(t, c.head, 1024)
		good := forms(t)["gzip"](record(Response, "1", []byte("good")))
		file := append(bomb, good...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, _, damages := read(t, file, 0, int64(len(file)))
		runtime.ReadMemStats(&after)
		if n := len(got); n != 1 || len(damages) != 1 {
			t.Errorf("%s: %d records, %v", name, n, damages)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%s: %d bytes were allocated", name, took)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, write := range forms(f) {
		f.Add(write(record(Response, "1", []byte("a block")), record(Request, "2", nil)))
	}
	f.Add([]byte("WARC/1.0\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"))
	f.Add(binary.LittleEndian.AppendUint32(nil, DictionaryMagic))
	f.Fuzz(func(t *testing.T, file []byte) {
		found, at, _ := read(t, file, 0, int64(len(file)))
		for i, r := range found {
			if i > 0 && at[i] <= at[i-1] || at[i] >= int64(len(file)) {
				t.Fatalf("records at %v of %d bytes", at, len(file))
			}
			if r.Header.Get(FieldContentLength) == "" {
				t.Fatal("a record without a length")
			}
		}
	})
}
