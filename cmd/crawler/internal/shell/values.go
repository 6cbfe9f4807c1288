package shell

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// PlainErrors lets the flags of pflag's own types say what they want.
func PlainErrors(f *pflag.FlagSet) {
	f.VisitAll(func(fl *pflag.Flag) {
		if want := wants[fl.Value.Type()]; want != "" {
			fl.Value = plainValue{fl.Value, want}
		}
	})
}

var wants = map[string]string{
	"int": "a whole number", "uint64": "a whole number from 0 on", "float64": "a number", "bool": "true or false",
}

// plainValue is a flag's value whose errors are not those of strconv.
type plainValue struct {
	pflag.Value
	want string
}

func (v plainValue) Set(s string) error {
	err := v.Value.Set(s)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is too large", s)
	case err != nil:
		return fmt.Errorf("want %s, not %q", v.want, s)
	}
	return nil
}

// Choice is a flag with a few allowed values.
type Choice struct {
	Value string
	Of    []string
}

func (c *Choice) String() string { return c.Value }
func (c *Choice) Type() string   { return "choice" }
func (c *Choice) Set(s string) error {
	for _, v := range c.Of {
		if s == v {
			c.Value = s
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.Of, ", "))
}

// Seconds is a duration that may be written as a bare number of seconds.
type Seconds time.Duration

func (d *Seconds) String() string { return time.Duration(*d).String() }
func (d *Seconds) Type() string   { return "time" }
func (d *Seconds) Set(s string) error {
	v, err := time.ParseDuration(s)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f != f || f > float64(1<<62)/1e9 {
			return fmt.Errorf("want a time such as 500ms, 2s, 1h30m or a number of seconds")
		}
		v = time.Duration(f * 1e9)
	}
	if v < 0 {
		return fmt.Errorf("must not be negative")
	}
	*d = Seconds(v)
	return nil
}

// Size is a number of bytes that may carry a unit.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1}}

func (z *Size) String() string {
	for _, u := range units[:3] {
		if n := int64(*z); n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(*z), 10)
}
func (z *Size) Type() string { return "size" }
func (z *Size) Set(s string) error {
	for _, u := range units {
		num, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.bytes {
			break
		}
		*z = Size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("want a size such as 500KiB, 10MiB or a number of bytes")
}

// Percent is a share that is written with its percent sign, so that 0.1 and 10 are no riddle.
type Percent float64

// AllPercent is the whole, and LeastPercent the smallest share that samples can have.
const (
	AllPercent   Percent = 100
	LeastPercent Percent = 0.002
)

func (p *Percent) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) + "%" }
func (p *Percent) Type() string   { return "percent" }
func (p *Percent) Set(s string) error {
	text, ok := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if !ok || err != nil || !(v >= float64(LeastPercent) && v <= float64(AllPercent)) { // NaN, too
		least, all := LeastPercent, AllPercent
		return fmt.Errorf("want a percentage from %s to %s, such as 10%%, not %q", least.String(), all.String(), s)
	}
	*p = Percent(v)
	return nil
}

// Share returns the part of 1.
func (p Percent) Share() float64 { return float64(p) / 100 }
