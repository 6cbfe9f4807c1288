package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// plainErrors lets the flags of pflag's own types say what they want.
func plainErrors(f *pflag.FlagSet) {
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

// choice is a flag with a few allowed values.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "choice" }
func (c *choice) Set(s string) error {
	for _, v := range c.of {
		if s == v {
			c.value = s
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.of, ", "))
}

// seconds is a duration that may be written as a bare number of seconds.
type seconds time.Duration

func (d *seconds) String() string { return time.Duration(*d).String() }
func (d *seconds) Type() string   { return "time" }
func (d *seconds) Set(s string) error {
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
	*d = seconds(v)
	return nil
}

// size is a number of bytes that may carry a unit.
type size int64

var units = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"KB", 1e3}, {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}, {"", 1}}

func (z *size) String() string {
	for _, u := range units[:3] {
		if n := int64(*z); n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d%s", n/u.bytes, u.name)
		}
	}
	return strconv.FormatInt(int64(*z), 10)
}
func (z *size) Type() string { return "size" }
func (z *size) Set(s string) error {
	for _, u := range units {
		num, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(num), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.bytes {
			break
		}
		*z = size(n * u.bytes)
		return nil
	}
	return fmt.Errorf("want a size such as 500KiB, 10MiB or a number of bytes")
}
