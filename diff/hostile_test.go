package diff

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

// scripted is a stranger that answers with the given messages, whatever is asked.
type scripted struct {
	io.Reader
	asked int
}

func (s *scripted) Write(p []byte) (int, error) {
	s.asked += len(p)
	return len(p), nil
}

func answers(messages ...[]byte) *scripted {
	var b bytes.Buffer
	for _, m := range messages {
		writeMessage(&b, m)
	}
	return &scripted{Reader: &b}
}

// allocated is how many bytes fn allocates.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func helloOf(n uint64, sum uint64) []byte {
	m := append(append([]byte{askHello}, hello...), version, 0)
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(m, n), sum)
}

// packed is texts as they are sent, with a number of them that may be a lie.
func packed(n uint64, raw string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	io.WriteString(w, raw)
	w.Close()
	return append(binary.AppendUvarint(nil, n), b.Bytes()...)
}

func TestHostileAnswers(t *testing.T) {
	a := &list{items: []Item{item("http://a.example/", 1)}}
	symbols := append([]byte{askSymbols}, make([]byte, 32*13)...)
	for name, c := range map[string]struct {
		from *scripted
		want error
	}{
		"nothing":                              {answers(), ErrBroken},
		"words":                                {&scripted{Reader: strings.NewReader("Welcome to this machine\n")}, ErrBroken},
		"a newline":                            {&scripted{Reader: strings.NewReader("\n\n\n\n\n\n\n")}, ErrProtocol},
		"an empty message":                     {answers([]byte{}), ErrProtocol},
		"another answer":                       {answers([]byte{askTexts}), ErrProtocol},
		"no hello":                             {answers([]byte{askHello}), ErrProtocol},
		"another version":                      {answers(append(append([]byte{askHello}, hello...), 2, 0, 0)), ErrProtocol},
		"more than any set":                    {answers(helloOf(1<<40, 0)), ErrProtocol},
		"no symbols":                           {answers(helloOf(5, 0), []byte{askSymbols}), ErrProtocol},
		"symbols of nothing, and then no more": {answers(helloOf(5, 0), symbols), ErrBroken},
		"a count that is not said":             {answers(helloOf(3, 0), symbols), ErrProtocol},
	} {
		_, err := Compare(Local(a), Remote(c.from), Config{})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := Compare(Local(a), Remote(answers(append([]byte{answerError}, strings.Repeat("x\x1b[2J", 1000)...))), Config{})
	var remote *RemoteError
	if !errors.As(err, &remote) || len(remote.Text) > longestText {
		t.Errorf("an error without end: %.50q", err)
	}
}

// A message takes memory as it arrives; a length alone takes none.
func TestHostileLengths(t *testing.T) {
	head := binary.AppendUvarint(nil, maxFrame<<1)
	n := allocated(func() {
		if _, err := newReader(bytes.NewReader(head)).message(); !errors.Is(err, ErrBroken) {
			t.Error(err)
		}
	})
	if n > 4*maxFrame {
		t.Errorf("%d bytes for a length", n)
	}
	for name, stream := range map[string][]byte{
		"too long a frame":        binary.AppendUvarint(nil, (maxFrame+1)<<1|1),
		"a short frame, not last": appendFrame(nil, []byte("short"), false),
		"a length without end":    {0x80, 0x80, 0x80, 0x80},
		"a length in a long form": {0x81, 0x00, 0, 0, 0, 0},
	} {
		if _, err := newReader(bytes.NewReader(stream)).message(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newReader(strings.NewReader("")).message(); err != io.EOF {
		t.Error(err)
	}
	// A message without end.
	frame := appendFrame(nil, make([]byte, maxFrame), false)
	endless := &repeated{frame: frame}
	if testing.Short() {
		return
	}
	if _, err := newReader(endless).message(); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// repeated reads as one frame after another.
type repeated struct {
	frame []byte
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	n := copy(p, r.frame[r.at:])
	r.at = (r.at + n) % len(r.frame)
	return n, nil
}

func TestHostileTexts(t *testing.T) {
	good := "\x00\x10http://a.example"
	canonical := "\x00\x11http://a.example/"
	for name, data := range map[string][]byte{
		"none":                   nil,
		"too many":               packed(5, strings.Repeat(canonical, 5)),
		"fewer than said":        packed(2, canonical),
		"more than said":         packed(1, canonical+canonical),
		"not canonical":          packed(1, good),
		"no URL":                 packed(1, "\x00\x05\x1b[2Jx"),
		"twice":                  packed(2, canonical+"\x11\x00"),
		"out of order":           packed(2, "\x00\x11http://b.example/"+canonical),
		"common with nothing":    packed(1, "\x05\x01x"),
		"longer than any":        packed(1, "\x00\xff\xff\xff\xff\x0f"),
		"no flate":               {1, 0xff, 0xff, 0xff},
		"a bomb":                 packed(4, strings.Repeat("\x00", 1<<24)),
		"bytes behind the texts": append(packed(1, canonical), 0),
	} {
		n := allocated(func() {
			if items, err := readTexts(data, 4, Pages); !errors.Is(err, ErrProtocol) || items != nil {
				t.Errorf("%s: %v, %v", name, items, err)
			}
		})
		if n > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
	if items, err := readTexts(packed(1, canonical), 4, Pages); err != nil || len(items) != 1 {
		t.Error(items, err)
	}
}

// FuzzAnswer lets a stranger ask anything, also behind a proper beginning.
func FuzzAnswer(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b := random(r, 40, 3, 3, 0)
	l := newLoopback(b)
	for _, cfg := range []Config{{}, {Method: Ranges}, {Method: Merkle}, {Method: Bloom}, {Common: true}} {
		if _, err := Compare(Local(a), Remote(l), cfg); err != nil {
			break // one stream is one comparison; the seeds below are enough
		}
	}
	begin := append(append([]byte{askHello}, hello...), version, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	f.Add(begin, true)
	f.Add([]byte{askSymbols, 40}, true)
	f.Add([]byte{askFirst}, true)
	f.Add([]byte{askRanges, 0x20, 0, 0}, true)
	f.Add([]byte{askFilter, kindMerkle, 3}, true)
	f.Add([]byte{askTexts, 64, 1, 0, 0, 0, 0, 0, 0, 0, 0}, true)
	f.Add([]byte{askKeys}, false)
	f.Fuzz(func(t *testing.T, request []byte, began bool) {
		s := &side{source: b}
		if began {
			if _, err := s.answer(begin); err != nil {
				t.Fatal(err)
			}
		}
		answer, err := s.answer(request)
		if err == nil && (len(answer) == 0 || answer[0] != request[0]) {
			t.Fatalf("%x is answered with %x", request, answer)
		}
	})
}

// FuzzCompare gives the comparing side any answers: it ends, in an error or with a result.
func FuzzCompare(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	a, b := random(r, 40, 3, 3, 0)
	other := &side{source: b}
	begin := append(append([]byte{askHello}, hello...), version, 0)
	begin = binary.LittleEndian.AppendUint64(begin, 9)
	first, _ := other.answer(begin)
	symbols, _ := other.answer([]byte{askSymbols, 32})
	f.Add(first, symbols, []byte{askTexts}, byte(0))
	f.Add(first, []byte{askRanges}, []byte{askTexts}, byte(1))
	f.Add(first, []byte{askFilter}, []byte{askMissing}, byte(2))
	f.Add(first, []byte{askPassing, 64, 0}, []byte{askTexts}, byte(9))
	f.Fuzz(func(t *testing.T, one, two, three []byte, method byte) {
		cfg := Config{Seed: 9, Method: Method(method % 5), Common: method > 8}
		result, err := Compare(Local(a), Remote(answers(one, two, three)), cfg)
		if (err == nil) != (result != nil) {
			t.Fatal(result, err)
		}
	})
}

// URLs that share nearly everything with the one before are few bytes on the way and many in
// memory: these count.
func TestTextsAreBoundedWhole(t *testing.T) {
	var items []Item
	long := "http://a.example/" + strings.Repeat("x", 4000)
	for i := range 100 {
		items = append(items, item(fmt.Sprintf("%s/%03d", long, i), 0))
	}
	sent := appendTexts(nil, items, Pages)
	if len(sent) > 2000 {
		t.Fatalf("%d bytes are sent", len(sent))
	}
	whole := int64(len(items) * len(items[0].URL.String()))
	if got, err := readTextsUpTo(sent, len(items), whole, Pages); err != nil || len(got) != len(items) {
		t.Errorf("%d items, %v", len(got), err)
	}
	if _, err := readTextsUpTo(sent, len(items), whole-1, Pages); !errors.Is(err, ErrTooLarge) {
		t.Errorf("one byte more than there is room for: %v", err)
	}
}
