package weburl

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
)

// row is one line of testdata/urls.txt, which tells its own format.
type row struct {
	line              int
	section           string
	input, base, want string
}

func readRows(t testing.TB) []row {
	data, err := os.ReadFile("testdata/urls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	section := ""
	for i, line := range strings.Split(string(data), "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			section = name
			continue
		}
		if line == "" || line[0] == ';' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			t.Fatalf("testdata/urls.txt:%d: %d fields, want 3", i+1, len(fields))
		}
		input, err := strconv.Unquote(`"` + fields[0] + `"`)
		if err != nil {
			t.Fatalf("testdata/urls.txt:%d: %v", i+1, err)
		}
		rows = append(rows, row{i + 1, section, input, fields[1], fields[2]})
	}
	return rows
}

// parseBase returns the row's base, the zero URL for "-".
func (r row) parseBase(t testing.TB) URL {
	if r.base == "-" {
		return URL{}
	}
	base, err := Parse(r.base)
	if err != nil {
		t.Fatalf("line %d: base: %v", r.line, err)
	}
	return base
}

var wantErrors = map[string]error{
	"SCHEME": ErrScheme, "RELATIVE": ErrRelative, "HOST": ErrHost, "PORT": ErrPort,
}

// check compares a result with the row's.
func (r row) check(t *testing.T, how string, got URL, err error) {
	t.Helper()
	if want, ok := wantErrors[r.want]; ok {
		if !errors.Is(err, want) || !got.IsZero() {
			t.Errorf("line %d: %s(%q): got %q, error %v, want %v", r.line, how, r.input, got, err, want)
		}
		return
	}
	if err != nil || got.String() != r.want {
		t.Errorf("line %d: %s(%q): got %q, error %v, want %q", r.line, how, r.input, got, err, r.want)
	}
}

func TestTable(t *testing.T) {
	rows := readRows(t)
	for len(rows) > 0 {
		section := rows[0].section
		t.Run(section, func(t *testing.T) {
			for len(rows) > 0 && rows[0].section == section {
				checkRow(t, rows[0])
				rows = rows[1:]
			}
		})
	}
}

// checkRow runs a row through every door of the package.
func checkRow(t *testing.T, r row) {
	base := r.parseBase(t)
	got, err := base.Resolve(r.input)
	r.check(t, "Resolve", got, err)

	if base.IsZero() {
		u, err := Parse(r.input)
		r.check(t, "Parse", u, err)
	}

	resolver := NewResolver(Options{})
	resolver.SetBase(base)
	u, err := resolver.Resolve([]byte(r.input))
	r.check(t, "Resolver.Resolve", u, err)

	u, err = slowOnly(base, r.input)
	r.check(t, "slow path", u, err)
}

// slowOnly is Resolve without its fast paths.
func slowOnly(base URL, ref string) (URL, error) {
	var b builder
	if err := b.slow(base, ref); err != nil {
		return URL{}, err
	}
	if len(b.out) > MaxLen {
		return URL{}, ErrTooLong
	}
	return b.url(string(b.out)), nil
}
