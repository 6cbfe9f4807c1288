package graph

import (
	"fmt"
	"strings"
)

// Code names one of the framework's instantaneous codes for natural numbers.
type Code uint8

// The codes; the zero Code is the default of the field it stands in.
const (
	Unary Code = iota + 1
	Gamma
	Delta
	Zeta // with Params.ZetaK as its parameter
)

var codeNames = [...]string{Unary: "UNARY", Gamma: "GAMMA", Delta: "DELTA", Zeta: "ZETA"}

// Params says how lists are compressed. The zero Params means [DefaultParams]; one that
// sets any field must set all of the first four, so start from DefaultParams.
type Params struct {
	// Window is how many lists before a node's own may serve as its reference, 0 to
	// [MaxWindow]; 0 writes no references at all.
	Window int
	// MaxRefs is the longest chain of references from a list to one that has none: -1
	// for no limit, which compresses best and makes random access slow.
	MaxRefs int
	// MinInterval is the least length of a run of consecutive successors written as an
	// interval; 0 for no intervals.
	MinInterval int
	// ZetaK is the parameter of the zeta code, 1 to 16.
	ZetaK int

	// The codes of the parts of a list, and of the gaps in the offsets file. Zero is the
	// framework's default: gamma, but unary for references and zeta for residuals.
	Outdegrees, References, BlockCounts, Blocks, Residuals, Offsets Code
}

// Limits of Params.
const (
	MaxWindow = 4096
	maxZetaK  = 16
	// unboundedRefs stands for MaxRefs -1 in a properties file, as the framework
	// writes it.
	unboundedRefs = 1<<31 - 1
)

// DefaultParams returns the framework's published defaults: window 7, chains of at most
// 3 references, intervals from 4 nodes, zeta 3.
func DefaultParams() Params {
	return Params{Window: 7, MaxRefs: 3, MinInterval: 4, ZetaK: 3}
}

// normal returns p with every default filled in, or why it is no valid Params.
func (p Params) normal() (Params, error) {
	if p == (Params{}) {
		p = DefaultParams()
	}
	switch {
	case p.Window < 0 || p.Window > MaxWindow:
		return p, fmt.Errorf("window size %d: want 0 to %d", p.Window, MaxWindow)
	case p.MaxRefs < -1 || p.MaxRefs > unboundedRefs:
		return p, fmt.Errorf("maximum reference count %d: want -1 (no limit) to %d", p.MaxRefs, unboundedRefs)
	case p.MinInterval < 0 || p.MinInterval > maxNodes:
		return p, fmt.Errorf("minimum interval length %d: want 0 (none) to %d", p.MinInterval, maxNodes)
	case p.ZetaK < 1 || p.ZetaK > maxZetaK:
		return p, fmt.Errorf("zeta parameter %d: want 1 to %d; start from DefaultParams", p.ZetaK, maxZetaK)
	}
	if p.MaxRefs == unboundedRefs {
		p.MaxRefs = -1
	}
	for i := range fields {
		f := &fields[i]
		c := f.of(&p)
		if *c == 0 {
			*c = f.standard
		}
		if !strings.Contains(f.allowed, f.letter(*c)) {
			return p, fmt.Errorf("code %d for %s: not one the format has", *c, f.name)
		}
	}
	return p, nil
}

// field is one part of a list that may be written in several codes.
type field struct {
	name     string // in compressionflags
	standard Code
	allowed  string // the first letters of the codes the framework has for it
	of       func(*Params) *Code
}

// letter returns the first letter of a code's name, or what no field allows.
func (f *field) letter(c Code) string {
	if c == 0 || int(c) >= len(codeNames) {
		return "?"
	}
	return codeNames[c][:1]
}

var fields = [...]field{
	{"OUTDEGREES", Gamma, "GD", func(p *Params) *Code { return &p.Outdegrees }},
	{"REFERENCES", Unary, "UGD", func(p *Params) *Code { return &p.References }},
	{"BLOCK_COUNT", Gamma, "UGD", func(p *Params) *Code { return &p.BlockCounts }},
	{"BLOCKS", Gamma, "UGD", func(p *Params) *Code { return &p.Blocks }},
	{"RESIDUALS", Zeta, "GDZ", func(p *Params) *Code { return &p.Residuals }},
	{"OFFSETS", Gamma, "GD", func(p *Params) *Code { return &p.Offsets }},
}

// flags returns the compressionflags of p, which must be normal: FIELD_CODE for every
// field not in its default code.
func (p Params) flags() string {
	var names []string
	for i := range fields {
		if c := *fields[i].of(&p); c != fields[i].standard {
			names = append(names, fields[i].name+"_"+codeNames[c])
		}
	}
	return strings.Join(names, " | ")
}

// setFlags is the inverse of flags. Codes the framework has and this package lacks
// (nibble, Golomb) are refused by name.
func (p *Params) setFlags(s string) error {
	for name := range strings.SplitSeq(s, "|") {
		if name = strings.TrimSpace(name); name != "" && !p.setFlag(name) {
			return fmt.Errorf("compression flag %q is not known here; store the graph again without it", name)
		}
	}
	return nil
}

func (p *Params) setFlag(name string) bool {
	cut := strings.LastIndexByte(name, '_')
	if cut < 0 {
		return false
	}
	for i := range fields {
		for c, code := range codeNames {
			if fields[i].name == name[:cut] && code != "" && code == name[cut+1:] {
				*fields[i].of(p) = Code(c)
				return true
			}
		}
	}
	return false
}
