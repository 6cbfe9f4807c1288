package store

import (
	"encoding/binary"
	"fmt"
)

// manifest says which runs the log consists of.
type manifest struct {
	appended uint64 // the last journal entry that is in the runs
	next     uint32 // number of the next run
	runs     []runInfo
}

const (
	manifestVersion = 1
	manifestHead    = 18
)

func manifestKey() []byte { return []byte{'l'} }

// appendManifest appends the manifest's value.
func appendManifest(dst []byte, m manifest, layers int) []byte {
	dst = append(dst, manifestVersion, byte(layers))
	dst = binary.LittleEndian.AppendUint64(dst, m.appended)
	dst = binary.LittleEndian.AppendUint32(dst, m.next)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(m.runs)))
	for _, r := range m.runs {
		dst = binary.LittleEndian.AppendUint32(dst, r.number)
		for _, n := range r.counts {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
		}
	}
	return dst
}

// decodeManifest reads the value of the manifest of a log with that many layers.
func decodeManifest(b []byte, layers int) (m manifest, err error) {
	if len(b) < manifestHead {
		return m, fmt.Errorf("it %w: it has %d bytes", ErrDamaged, len(b))
	}
	if b[0] != manifestVersion {
		return m, fmt.Errorf("version %d, this program knows %d: use a newer one", b[0], manifestVersion)
	}
	if int(b[1]) != layers {
		return m, fmt.Errorf("the log was written for a filter of %d layers, not %d: use as many", b[1], layers)
	}
	m.appended = binary.LittleEndian.Uint64(b[2:])
	m.next = binary.LittleEndian.Uint32(b[10:])
	n := binary.LittleEndian.Uint32(b[14:])
	b = b[manifestHead:]
	size := 4 + 8*(1+layers)
	if uint64(len(b)) != uint64(n)*uint64(size) {
		return m, fmt.Errorf("it %w: %d bytes for %d runs", ErrDamaged, len(b), n)
	}
	for last := uint32(0); len(b) > 0; b = b[size:] {
		r, err := decodeRunInfo(b[:size])
		if err != nil {
			return m, err
		}
		if r.number <= last || r.number >= m.next {
			return m, fmt.Errorf("it %w: run %d follows run %d and the next one is %d", ErrDamaged, r.number, last, m.next)
		}
		last = r.number
		m.runs = append(m.runs, r)
	}
	return m, nil
}

// decodeRunInfo reads one run of the manifest.
func decodeRunInfo(b []byte) (runInfo, error) {
	r := runInfo{number: binary.LittleEndian.Uint32(b)}
	for b = b[4:]; len(b) > 0; b = b[8:] {
		n := binary.LittleEndian.Uint64(b)
		if n > maxCount {
			return r, fmt.Errorf("it %w: run %d has %d fingerprints", ErrDamaged, r.number, n)
		}
		r.counts = append(r.counts, int64(n))
	}
	return r, nil
}
