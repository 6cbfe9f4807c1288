package dedup

import "crawler/internal/binform"

// putMinHash appends a configuration.
func putMinHash(e *binform.Encoder, c MinHashConfig) {
	e.Uint32(uint32(c.Slots))
	e.Uint8(uint8(c.Bits))
	e.Uint8(uint8(c.Shingle))
	e.Uint64(c.Seed)
}

// getMinHash reads a configuration and checks it.
func getMinHash(d *binform.Decoder) MinHashConfig {
	c := MinHashConfig{Slots: int(d.Uint32()), Bits: int(d.Uint8()), Shingle: int(d.Uint8()), Seed: d.Uint64()}
	checked, err := c.withDefaults()
	d.Check(err == nil && checked == c, "the signatures' configuration is %+v", c)
	return c
}

// AppendBinary appends the binary form of s: 47 bytes and its slots. It is an
// error if no MinHash made s.
func (s Signature) AppendBinary(dst []byte) ([]byte, error) {
	if s.cfg.Slots == 0 {
		return nil, errZero
	}
	e := begin(dst, kindSignature, 15+8*int64(len(s.lanes)))
	putMinHash(e, s.cfg)
	e.Bool(s.empty)
	if !s.empty {
		e.Uint64s(s.lanes)
	}
	return e.Close(), nil
}

// MarshalBinary returns the binary form of s.
func (s Signature) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s what data says. On error s is as it was.
func (s *Signature) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindSignature)
	if err != nil {
		return err
	}
	read := Signature{cfg: getMinHash(d), empty: d.Bool()}
	if d.OK() && !read.empty {
		read.lanes = d.Uint64s(nil, read.cfg.lanes())
	}
	if err := d.Close(); err != nil {
		return err
	}
	*s = read
	return nil
}
