package replay

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// The kinds of answer whose links are rewritten.
const (
	isOther = iota
	isHTML
	isCSS
)

// kindOf says what a Content-Type is. Texts in UTF-16 stay as they are.
func kindOf(contentType string) int {
	media, parameters, _ := strings.Cut(strings.ToLower(contentType), ";")
	if strings.Contains(parameters, "utf-16") {
		return isOther
	}
	switch strings.TrimSpace(media) {
	case "text/html", "application/xhtml+xml":
		return isHTML
	case "text/css":
		return isCSS
	}
	return isOther
}

const (
	maxToken = 16 << 20 // bytes of a tag, or of the text between two
	maxCSS   = 16 << 20
)

// rewriter rewrites the links of a document.
type rewriter struct {
	prefix string
	base   *url.URL
}

func newRewriter(prefix, base string) *rewriter {
	u, err := url.Parse(base)
	if err != nil {
		u = &url.URL{}
	}
	return &rewriter{prefix, u}
}

// link returns where a link leads in the replay. What is no http or https URL stays as it is.
func (w *rewriter) link(ref string) string {
	ref = strings.TrimSpace(ref)
	if ref == "" || ref[0] == '#' {
		return ref
	}
	u, err := w.base.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ref
	}
	return w.prefix + u.String()
}

// links are the attributes with a URL.
var links = map[string]bool{
	"href": true, "src": true, "action": true, "formaction": true, "poster": true, "data": true, "background": true, "cite": true, "longdesc": true, "xlink:href": true, "manifest": true,
}

var refreshURL = regexp.MustCompile(`(?i)^(\s*[\d.]+\s*[;,]\s*url\s*=\s*['"]?)([^'"]*)`)

// html rewrites a page. It takes memory for the longest tag or text.
func (w *rewriter) html(out io.Writer, in io.Reader) error {
	z := html.NewTokenizer(in)
	z.SetMaxBuf(maxToken)
	style := false
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			if _, err := out.Write(raw); err != nil {
				return err
			}
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			style = t.Data == "style" && kind == html.StartTagToken
			if changed, drop := w.tag(&t); drop {
				raw = nil
			} else if changed {
				raw = []byte(t.String())
			}
		case html.EndTagToken:
			style = false
		case html.TextToken:
			if style {
				raw = w.styles(raw)
			}
		}
		if _, err := out.Write(raw); err != nil {
			return err
		}
	}
}

// tag rewrites the attributes of a tag; drop says that it must go.
func (w *rewriter) tag(t *html.Token) (changed, drop bool) {
	refresh := false
	for _, a := range t.Attr {
		switch {
		case t.Data == "base" && a.Key == "href":
			if u, err := w.base.Parse(a.Val); err == nil {
				w.base = u
			}
			return false, true
		case t.Data == "meta" && a.Key == "http-equiv":
			switch strings.ToLower(a.Val) {
			case "content-security-policy", "content-security-policy-report-only":
				return false, true
			case "refresh":
				refresh = true
			}
		}
	}
	kept := t.Attr[:0]
	for _, a := range t.Attr {
		was := a.Val
		switch {
		case a.Key == "integrity" || a.Key == "ping" || a.Key == "nonce":
			changed = true
			continue
		case links[a.Key]:
			a.Val = w.link(a.Val)
		case a.Key == "srcset" || a.Key == "imagesrcset":
			a.Val = w.srcset(a.Val)
		case a.Key == "style":
			a.Val = string(w.styles([]byte(a.Val)))
		case a.Key == "content" && refresh:
			if m := refreshURL.FindStringSubmatch(a.Val); m != nil {
				a.Val = m[1] + w.link(m[2])
			}
		}
		changed = changed || a.Val != was
		kept = append(kept, a)
	}
	t.Attr = kept
	return changed, false
}

// srcset rewrites a list of images.
func (w *rewriter) srcset(value string) string {
	list := strings.Split(value, ", ")
	for i, item := range list {
		address, size, _ := strings.Cut(strings.TrimSpace(item), " ")
		if address != "" && !strings.HasPrefix(address, "data:") {
			list[i] = strings.TrimSpace(w.link(address) + " " + size)
		}
	}
	return strings.Join(list, ", ")
}

var (
	cssURL    = regexp.MustCompile(`(?i)url\(\s*(?:"([^"]*)"|'([^']*)'|([^"'()\s][^()\s]*))\s*\)`)
	cssImport = regexp.MustCompile(`(?i)(@import\s+)(?:"([^"]*)"|'([^']*)')`)
)

// styles rewrites the URLs in CSS.
func (w *rewriter) styles(css []byte) []byte {
	quoted := func(address string) string {
		return `"` + strings.NewReplacer(`"`, "%22", "\n", "", "<", "%3C").Replace(w.link(address)) + `"`
	}
	css = cssURL.ReplaceAllFunc(css, func(m []byte) []byte {
		s := cssURL.FindSubmatch(m)
		return []byte("url(" + quoted(string(s[1])+string(s[2])+string(s[3])) + ")")
	})
	return cssImport.ReplaceAllFunc(css, func(m []byte) []byte {
		s := cssImport.FindSubmatch(m)
		return []byte(string(s[1]) + quoted(string(s[2])+string(s[3])))
	})
}

// css rewrites a style sheet; what is beyond the limit is left out.
func (w *rewriter) css(out io.Writer, in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, maxCSS))
	if _, e := out.Write(w.styles(text)); e != nil {
		return e
	}
	return err
}
