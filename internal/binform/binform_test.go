package binform

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

const kind Kind = "TEST"

func form() []byte {
	e := Begin([]byte("before"), kind, 2)
	e.Uint8(7)
	e.Bool(true)
	e.Uint32(1 << 31)
	e.Uint64(math.MaxUint64)
	e.Int64(-5)
	e.Float64(math.Pi)
	e.Raw([]byte("abc"))
	e.Uint64s([]uint64{1, 2, 3})
	e.Uvarint(math.MaxUint64)
	e.Uvarint(127)
	e.Uint32s([]uint32{4, 1 << 31})
	return e.Close()[len("before"):]
}

func TestRoundTrip(t *testing.T) {
	d, version, err := Open(form(), kind, 3)
	if err != nil || version != 2 {
		t.Fatalf("version %d, %v", version, err)
	}
	if d.Uint8() != 7 || !d.Bool() || d.Uint32() != 1<<31 || d.Uint64() != math.MaxUint64 ||
		d.Int64() != -5 || d.Float64() != math.Pi || string(d.Raw(3)) != "abc" {
		t.Error("a field came back changed")
	}
	if v := d.Uint64s(nil, 3); len(v) != 3 || v[2] != 3 {
		t.Errorf("numbers came back as %v", v)
	}
	if d.Uvarint() != math.MaxUint64 || d.Uvarint() != 127 {
		t.Error("a number of variable length came back changed")
	}
	if v := d.Uint32s(make([]uint32, 2), 2); len(v) != 2 || v[0] != 4 || v[1] != 1<<31 {
		t.Errorf("numbers of four bytes came back as %v", v)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// Every byte matters: change any, or cut anywhere, and Open refuses.
func TestOpenRefuses(t *testing.T) {
	good := form()
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		if _, _, err := Open(bad, kind, 3); !errors.Is(err, ErrFormat) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, _, err := Open(good[:i], kind, 3); !errors.Is(err, ErrFormat) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	for name, f := range map[string]func() error{
		"a newer version": func() error { _, _, err := Open(good, kind, 1); return err },
		"another kind":    func() error { _, _, err := Open(good, "ELSE", 3); return err },
		"version zero":    func() error { _, _, err := Open(Begin(nil, kind, 0).Close(), kind, 3); return err },
		"a reserved byte": func() error {
			for i := 10; i < headerSize; i++ {
				bad := Begin(nil, kind, 3)
				bad.buf[i] = 1
				if _, _, err := Open(bad.Close(), kind, 3); err == nil {
					return nil
				}
			}
			return ErrFormat
		},
		"left over": func() error {
			d, _, _ := Open(good, kind, 3)
			return d.Close()
		},
	} {
		if err := f(); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDecoderNeverReadsBeyond(t *testing.T) {
	for name, read := range map[string]func(d *Decoder){
		"raw":      func(d *Decoder) { d.Raw(math.MaxInt) },
		"negative": func(d *Decoder) { d.Raw(-1) },
		"numbers":  func(d *Decoder) { d.Uint64s(nil, math.MaxInt/4) },
		"fields": func(d *Decoder) {
			for range 1000 {
				d.Uint64()
			}
		},
		"truth": func(d *Decoder) { d.Bool() },
		"check": func(d *Decoder) { d.Check(false, "no") },
	} {
		d, _, err := Open(form(), kind, 3)
		if err != nil {
			t.Fatal(err)
		}
		read(d)
		if d.OK() || d.Left() != 0 || !errors.Is(d.Close(), ErrFormat) {
			t.Errorf("%s: no error", name)
		}
	}
}
