package bigsite

import (
	"fmt"
	"strings"
)

// entry writes the kinds of passages of a Reference by turns: what generators of documentation
// make of the comments in a program.
func (w *writer) entry(i int) passage {
	before, after := "", ""
	w.accents = i%64 == 5
	name := w.word() + "." + w.word()
	switch i % 6 {
	case 0:
		before = w.signature(name) + "<dd><p>" + w.prose(12)
		after = w.prose(8) + ".</p>" + w.fields(2+w.IntN(4)) + "</dd></dl>\n"
	case 1:
		before = w.nested(3+w.IntN(2)) + "<ul class=\"simple\"><li><p>" + w.prose(6)
		after = w.prose(3) + "</p></li></ul>\n"
	case 2:
		before = w.highlighted(i, 4+w.IntN(10))
	case 3:
		before = "<section id=\"" + name + "\"><h3>" + w.headline(2) + headerLink(name) + "</h3><p>" + w.prose(10)
		after = w.prose(20) + ".</p></section>\n"
	case 4:
		before = "<div class=\"admonition note\"><p class=\"admonition-title\">Note</p><p>" + w.prose(15)
		after = ".</p></div>\n"
	default:
		before = "<p>" + w.prose(10+w.IntN(15))
		after = w.prose(10+w.IntN(15)) + ".</p>\n"
	}
	return passage{[]byte(before), []byte(after)}
}

func headerLink(id string) string {
	return "<a class=\"headerlink\" href=\"#" + id + "\" title=\"Link to this heading\">\u00b6</a>"
}

// signature begins the entry of a function; its description and end are the caller's.
func (w *writer) signature(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<dl class=\"py function\"><dt class=\"sig sig-object py\" id=%q><span class=\"sig-prename descclassname\"><span class=\"pre\">%s.</span></span><span class=\"sig-name descname\"><span class=\"pre\">%s</span></span><span class=\"sig-paren\">(</span>",
		name, w.word(), w.word())
	for range 1 + w.IntN(4) {
		fmt.Fprintf(&b, "<em class=\"sig-param\"><span class=\"n\"><span class=\"pre\">%s</span></span><span class=\"o\"><span class=\"pre\">=</span></span><span class=\"default_value\"><span class=\"pre\">%d</span></span></em>, ", w.word(), w.IntN(100))
	}
	b.WriteString("<span class=\"sig-paren\">)</span>" + headerLink(name) + "</dt>\n")
	return b.String()
}

func (w *writer) fields(n int) string {
	var b strings.Builder
	b.WriteString("<dl class=\"field-list simple\">")
	for range n {
		fmt.Fprintf(&b, "<dt class=\"field-odd\">%s<span class=\"colon\">:</span></dt><dd class=\"field-odd\"><ul><li><p><strong>%s</strong>%s</p></li></ul></dd>", w.headline(1), w.word(), w.prose(7))
	}
	return b.String() + "</dl>"
}

// nested writes lists in lists.
func (w *writer) nested(levels int) string {
	if levels == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<ol class=\"arabic\">\n")
	for range 2 {
		fmt.Fprintf(&b, "<li class=\"toctree-l%d\"><p>%s</p>%s</li>\n", levels, w.prose(3), w.nested(levels-1-w.IntN(2)*(levels-1)))
	}
	return b.String() + "</ol>\n"
}

// highlighted writes a listing with a mark around every token and an anchor for every line.
func (w *writer) highlighted(id, lines int) string {
	var b strings.Builder
	b.WriteString("<div class=\"highlight-python3 notranslate\"><div class=\"highlight\"><pre><span></span>")
	for line := range lines {
		fmt.Fprintf(&b, "<a id=\"line-%d-%d\"></a><span class=\"k\">if</span> <span class=\"n\">%s</span><span class=\"o\">.</span><span class=\"n\">%s</span><span class=\"p\">(</span><span class=\"s2\">&quot;%s&quot;</span><span class=\"p\">)</span> <span class=\"o\">&lt;</span> <span class=\"mi\">%d</span><span class=\"p\">:</span>  <span class=\"c1\"># %s</span>\n",
			id, line, w.word(), w.word(), w.word(), w.IntN(1000), w.word())
	}
	return b.String() + "</pre></div></div>\n"
}
