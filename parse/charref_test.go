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
		"&fjlig;", "&NotEqualTilde;", "&bne;", "&amp&", "&eacute;&eacute&eacutes", "&ThickSpace;", "&GT", "&gt=", "&quot\t",
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
