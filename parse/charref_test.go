package parse

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// libraryDecode is what the HTML library makes of s, as text or as an
// attribute's value.
func libraryDecode(t *testing.T, s string, attr bool) string {
	t.Helper()
	if !attr {
		return html.UnescapeString(s)
	}
	z := html.NewTokenizer(strings.NewReader(`<a b="` + s + `">`))
	z.Next()
	tok := z.Token()
	if len(tok.Attr) != 1 {
		t.Fatalf("%q: %d attributes", s, len(tok.Attr))
	}
	return tok.Attr[0].Val
}

func checkRef(t *testing.T, s string) {
	t.Helper()
	for _, attr := range []bool{false, true} {
		want := libraryDecode(t, s, attr)
		if got := string(appendDecoded(nil, []byte(s), attr)); got != want {
			t.Errorf("%q (attribute: %t): %q, want %q", s, attr, got, want)
		}
	}
}

func TestCharRefs(t *testing.T) {
	for _, s := range []string{
		"&", "&;", "&amp", "&amp;", "&amp=", "&ampx", "&amp;x", "&AMP;", "&Amp;", "&notit;", "&notin;", "&not", "&notx=",
		"&#", "&#;", "&#x", "&#x;", "&#X41;", "&#65", "&#65;", "&#65x", "&#x41g", "&#0;", "&#128;", "&#x9f;", "&#xd800;",
		"&#x10ffff;", "&#x110000;", "&#99999999999999999999;", "&#xffffffffffffffffffff41;", "&#0000000000000000000000000000065;",
		"&semi;", "&semi;;", "&lt;&gt;", "&copy;&copy&copy=1&copy1", "&CounterClockwiseContourIntegral;",
		"&CounterClockwiseContourIntegralx;", "&nosuchname;", "&nosuchnamethatislongerthananynamethereis;", "a&b&c", "&&amp;&",
		"&;12345678", "&fjlig;", "&NotEqualTilde;", "&bne;", "&amp&", "&eacute;&eacute&eacutes", "&ThickSpace;", "&GT", "&gt=", "&quot\t",
	} {
		checkRef(t, s)
	}
}

// TestAllCharRefs tries every name the standard library knows.
func TestAllCharRefs(t *testing.T) {
	path := filepath.Join(build.Default.GOROOT, "src", "html", "entity.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Skip("no source of the standard library: ", err)
	}
	names := 0
	ast.Inspect(file, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		lit, ok := kv.Key.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		names++
		bare := strings.TrimSuffix(name, ";")
		for _, s := range []string{bare, bare + ";", bare + "=", bare + "x;", bare + " ", "x" + bare + ";", bare + ";;"} {
			checkRef(t, "&"+s)
		}
		return true
	})
	if names < 2000 {
		t.Errorf("only %d names", names)
	}
}

// TestGaps holds what blocks take for no part of a word against the slow way.
func TestGaps(t *testing.T) {
	check := func(s string, refs bool) int {
		t.Helper()
		n := gap((*[maxGap]byte)([]byte(s+"aaaaaaaaa")), refs)
		if n == 0 {
			return 0
		}
		r, size := utf8.DecodeRuneInString(s)
		if refs && s[0] == '&' {
			r, _, size = charRef([]byte(s), 0, len(s), false)
		}
		if wordRunes.fold(r) != 0 || n != size {
			t.Errorf("%q (references: %t): a gap of %d, but is %U in %d bytes", s, refs, n, r, size)
		}
		return n
	}
	for r := rune(0x80); r < 0x10000; r++ {
		n := check(string(r), true)
		if usual := r < 0x800 || r>>6 == 0x2000>>6; n == 0 && usual && wordRunes.fold(r) == 0 {
			t.Errorf("%U is no gap", r)
		}
	}
	for first := 0x80; first < 0x100; first++ {
		for second := range 0x100 {
			check(string([]byte{byte(first), byte(second)}), true)
		}
	}
	for _, s := range []string{"&nbsp;", "&amp;", "&#8220;", "&#39;", "&#x2014;", "&there4;"} {
		if check(s, true) != len(s) || check(s, false) != 1 {
			t.Errorf("%q is no gap", s)
		}
	}
	for _, s := range []string{"&", "&amp", "&eacute;", "&zwnjj;", "&alpha;", "&#233;", "&;", "&Nbsp;", "&amp\x00;", "&\x00amp;"} {
		if n := check(s, true); n != 0 {
			t.Errorf("%q is a gap of %d", s, n)
		}
	}
}
