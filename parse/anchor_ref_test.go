package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// anchorOf is what Anchor should say of the link that n makes: goquery's Text of a copy of
// the element from which is removed what does not show, with spaces about what starts a line.
func anchorOf(n *html.Node) string {
	text := ""
	switch {
	// Hidden in a link: no text.
	case n.Data == "a" && goquery.NewDocumentFromNode(n).Closest("a[made] a").Length() > 0:
	case n.Data == "a":
		s := goquery.NewDocumentFromNode(n).Clone()
		s.Find("script, style, template, noscript").Remove()
		s.Find("*").Each(func(_ int, e *goquery.Selection) {
			if breaksLine(e.Nodes[0]) {
				e.BeforeNodes(space())
				e.AfterNodes(space())
				e.PrependNodes(space())
				e.AppendNodes(space())
			}
			if alt, ok := e.Attr("alt"); ok && e.Nodes[0].Data == "img" && e.Nodes[0].Namespace == "" {
				e.AppendNodes(&html.Node{Type: html.TextNode, Data: alt})
			}
		})
		text = s.Text()
	case n.Data == "area":
		text, _ = attr(n, "alt")
	default:
		return "|"
	}
	rel := ""
	if n.Namespace == "" {
		rel, _ = attr(n, "rel")
	}
	return oneLine(text) + "|" + joined(strings.FieldsFunc(lowerASCII(rel), func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }), 64)
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

func space() *html.Node { return &html.Node{Type: html.TextNode, Data: " "} }

// breaksLine tells elements that are shown inline, but for <br>, images and text fields, from
// those that are not.
func breaksLine(n *html.Node) bool {
	switch n.Data {
	case "br", "textarea", "option", "optgroup", "legend", "summary", "caption", "thead", "tbody", "tfoot", "tr", "td", "th":
		return true
	case "img":
		return n.Namespace == ""
	case "p", "div", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "form", "fieldset", "hr", "address",
		"article", "aside", "blockquote", "center", "details", "dialog", "dir", "figcaption", "figure", "footer", "header", "hgroup", "listing",
		"main", "menu", "nav", "search", "section", "xmp":
		return true
	}
	return false
}

// oneLine is how a text is shown: what is blank in a title collapsed, cut.
func oneLine(text string) string {
	blank := func(r rune) bool {
		return r <= ' ' || 0x7f <= r && r <= 0xa0 || 0x2028 <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
	}
	// What is no UTF-8 is U+FFFD.
	text = string([]rune(strings.Join(strings.FieldsFunc(text, blank), " ")))
	if len(text) <= 256 {
		return text
	}
	n := 256
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.TrimRight(text[:n], " ")
}

// joined joins tokens up to a length.
func joined(tokens []string, limit int) (s string) {
	for _, token := range tokens {
		longer := strings.TrimPrefix(s+" "+token, " ")
		if len(longer) > limit {
			break
		}
		s = longer
	}
	return s
}
