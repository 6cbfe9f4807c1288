package settings

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/spf13/pflag"

	"crawler/fetch"
	"crawler/parse"
)

// regexps is a repeatable regular expression (RE2 syntax).
type regexps []*regexp.Regexp

func (r *regexps) String() string { return strings.Join(r.GetSlice(), " ") }

func (r *regexps) Type() string { return "regexp" }

func (r *regexps) Set(s string) error {
	re, err := regexp.Compile(s)
	if err == nil {
		*r = append(*r, re)
	}
	return err
}

// Append, Replace and GetSlice make it a pflag.SliceValue, which a list in the
// configuration file fills.
func (r *regexps) Append(s string) error { return r.Set(s) }

func (r *regexps) Replace(all []string) error {
	*r = nil
	return setAll(r, all)
}

func (r *regexps) GetSlice() []string {
	out := make([]string, len(*r))
	for i, re := range *r {
		out[i] = re.String()
	}
	return out
}

// rules is a repeatable extraction rule.
type rules struct {
	text   []string
	parsed []parse.Rule
}

func (r *rules) String() string { return strings.Join(r.text, " ") }

func (r *rules) Type() string { return "rule" }

func (r *rules) Set(s string) error {
	rule, err := parse.ParseRule(s)
	if err != nil {
		return err
	}
	r.text, r.parsed = append(r.text, s), append(r.parsed, rule)
	return nil
}

func (r *rules) Append(s string) error { return r.Set(s) }

func (r *rules) Replace(all []string) error {
	*r = rules{}
	return setAll(r, all)
}

func (r *rules) GetSlice() []string { return r.text }

// nets is a repeatable range of addresses; an address alone is a range of one.
type nets []netip.Prefix

func (n *nets) String() string { return strings.Join(n.GetSlice(), " ") }

func (n *nets) Type() string { return "net" }

func (n *nets) Set(s string) error {
	p, err := netip.ParsePrefix(s)
	if a, aerr := netip.ParseAddr(s); err != nil && aerr == nil && a.Zone() == "" {
		p, err = a.Prefix(a.BitLen())
	}
	if err != nil {
		return fmt.Errorf("want addresses such as 10.1.0.0/16, fd00::/8 or 10.1.2.3")
	}
	*n = append(*n, p.Masked())
	return nil
}

// Append, Replace and GetSlice make it a pflag.SliceValue, as regexps is one.
func (n *nets) Append(s string) error { return n.Set(s) }

func (n *nets) Replace(all []string) error {
	*n = nil
	return setAll(n, all)
}

func (n *nets) GetSlice() []string {
	out := make([]string, len(*n))
	for i, p := range *n {
		out[i] = p.String()
	}
	return out
}

// ports is a set of ports.
type ports fetch.Ports

func (p *ports) String() string { return fetch.Ports(*p).String() }

func (p *ports) Type() string { return "ports" }

func (p *ports) Set(s string) error {
	set, err := fetch.ParsePorts(s)
	if err == nil {
		*p = ports(set)
	}
	return err
}

func setAll(v pflag.Value, all []string) error {
	for _, s := range all {
		if err := v.Set(s); err != nil {
			return err
		}
	}
	return nil
}
