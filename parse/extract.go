package parse

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of what Options.Rules may collect from one page.
const (
	MaxFieldValues = 1000     // values of one rule
	MaxFieldBytes  = 64 << 10 // length of one value; the rest is cut
)

// maxNoScripts is how many <noscript> with markup are read of a page, each by a parser of its own,
// which costs microseconds; what is in later ones is text.
const maxNoScripts = MaxFieldValues

// Rule extracts values from pages by a CSS selector.
type Rule struct {
	Name string // the field's name
	attr string // the attribute that is the value, or "" for the text
	sel  cascadia.Selector
}

// ParseRule reads a rule written name=CSS or name=CSS@attr, such as
//
//	price=.product .price
//	image=meta[property="og:image"]@content
//
// The value is the text of each element that matches, or the attribute where the
// element has it. The text is what a reader sees: white space is collapsed, blocks
// and line breaks are apart, and scripts, style sheets and what is in <noscript> are left
// out; of a script or style sheet that itself matches it is the source. Selectors do find
// elements in <noscript>.
func ParseRule(s string) (Rule, error) {
	name, css, ok := strings.Cut(s, "=")
	name, css = strings.TrimSpace(name), strings.TrimSpace(css)
	if !ok || name == "" || css == "" {
		return Rule{}, fmt.Errorf("extraction rule %q: want name=CSS or name=CSS@attr", s)
	}
	css, attr := cutAttr(css)
	sel, err := cascadia.Compile(css)
	if err != nil {
		return Rule{}, fmt.Errorf("extraction rule %q: selector %q: %w", s, css, err)
	}
	return Rule{Name: name, attr: attr, sel: sel}, nil
}

// cutAttr cuts "@attr" off a selector. An @ inside a selector is followed by
// more than a name.
func cutAttr(css string) (selector, attr string) {
	k := strings.LastIndexByte(css, '@')
	if k <= 0 || k+1 == len(css) {
		return css, ""
	}
	for _, c := range []byte(css[k+1:]) {
		if !isAlnum(c) && c != '-' && c != '_' && c != ':' && c != '.' {
			return css, ""
		}
	}
	return strings.TrimSpace(css[:k]), strings.ToLower(css[k+1:])
}

// ErrTooDeep is in Page.ExtractErr when elements are nested deeper than the
// HTML library builds trees (512). Links and words do not depend on it.
var ErrTooDeep = errors.New("elements nested too deep for extraction")

// extract runs the rules over the document: the one thing that needs a tree.
func (p *Parser) extract(text []byte) {
	if len(p.opt.Rules) == 0 {
		return
	}
	root, err := tree(text)
	if err != nil {
		// The library has no error value for its nesting limit, but reading
		// from memory fails for no other reason.
		p.page.ExtractErr = fmt.Errorf("%w: %w", ErrTooDeep, err)
		return
	}
	if p.page.Fields == nil {
		p.page.Fields = make(map[string][]string)
	}
	doc := goquery.NewDocumentFromNode(root)
	for _, rule := range p.opt.Rules {
		values := p.page.Fields[rule.Name]
		doc.FindMatcher(rule.sel).EachWithBreak(func(_ int, s *goquery.Selection) bool {
			if v, ok := rule.value(s); ok {
				values = append(values, v)
			}
			return len(values) < MaxFieldValues
		})
		if len(values) > 0 {
			p.page.Fields[rule.Name] = values
		}
	}
}

// tree builds the document's tree, in which a <noscript> holds elements. With scripting off the
// library ends the <head> at a <noscript> with an image in it, which then is in none, and what
// follows is in no <head>; so each is read on its own, and reaches to its end tag as for words.
func tree(text []byte) (*html.Node, error) {
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var raw []*html.Node // texts of <noscript>
	for n := range root.Descendants() {
		if n.Type != html.TextNode || !strings.ContainsAny(n.Data, "<&") || len(raw) == maxNoScripts {
			continue
		}
		if p := n.Parent; p.DataAtom == atom.Noscript && p.Namespace == "" {
			raw = append(raw, n)
		}
	}
	for _, n := range raw {
		if err := readNoScript(n); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// readNoScript makes elements of the text of a <noscript>.
func readNoScript(text *html.Node) error {
	body := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(text.Data), body, html.ParseOptionEnableScripting(false))
	for _, c := range nodes {
		text.Parent.InsertBefore(c, text)
	}
	text.Parent.RemoveChild(text)
	return err
}

// value returns what the rule takes from one element.
func (r Rule) value(s *goquery.Selection) (string, bool) {
	if r.attr == "" {
		return cutField(strings.Join(strings.Fields(string(appendText(nil, s.Nodes[0]))), " ")), true
	}
	v, ok := s.Attr(r.attr)
	return cutField(strings.TrimSpace(v)), ok
}

// apart are the elements that begin and end a line or a cell (WHATWG HTML, 15.3); others, known or
// not, stand within one.
var apart = []atom.Atom{
	atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Center, atom.Dd, atom.Details,
	atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1,
	atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li,
	atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Plaintext, atom.Pre, atom.Section,
	atom.Select, atom.Summary, atom.Svg, atom.Table, atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr,
	atom.Ul, atom.Xmp,
}

// unseen are the elements whose text no reader sees.
var unseen = []atom.Atom{atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Noframes, atom.Noembed, atom.Iframe}

// appendText appends the text of what is in n. The library's limit of open elements, which holds
// for a <noscript> on its own, bounds the depth.
func appendText(b []byte, n *html.Node) []byte {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b = append(b, c.Data...)
		case c.Type != html.ElementNode || slices.Contains(unseen, c.DataAtom):
		case slices.Contains(apart, c.DataAtom):
			b = append(appendText(append(b, ' '), c), ' ')
		default:
			b = appendText(b, c)
		}
	}
	return b
}

// cutField shortens a value to the limit, at a rune's border.
func cutField(v string) string {
	if len(v) <= MaxFieldBytes {
		return v
	}
	return strings.ToValidUTF8(v[:MaxFieldBytes], "")
}
