package parse

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// kindOf returns the kind that a document is read as: that of the Content-Type header, or,
// if that says only "XML" or nothing, the one that the first bytes look like. A body that is
// called text and begins like an image, an archive or a program is not read.
func kindOf(media, label string, sitemap bool, body []byte) Kind {
	kind := declaredKind(media, sitemap, body)
	switch {
	case kind == KindText && isBinaryText(body, label),
		kind != KindOther && isBinary(body):
		return KindOther
	}
	return kind
}

// declaredKind is kindOf without the check for bodies that are no text.
func declaredKind(media string, sitemap bool, body []byte) Kind {
	switch {
	case media == "text/html":
		return KindHTML
	case media == "application/xhtml+xml":
		return KindXHTML
	case media == "application/xml", media == "text/xml", strings.HasSuffix(media, "+xml"):
		return xmlKind(body)
	case media == "text/plain":
		return plainKind(sitemap, body)
	case media == "":
		return sniff(sitemap, body)
	case sitemap:
		// Sitemaps come as octet-stream, gzip and other types.
		if kind := sniff(true, body); kind != KindHTML {
			return kind
		}
	case isGzipType(media):
		return xmlKind(body)
	}
	return KindOther
}

// plainKind distinguishes text from a list of URLs, and from a sitemap sent as text.
func plainKind(sitemap bool, body []byte) Kind {
	if !sitemap {
		return KindText
	}
	if kind := xmlKind(body); kind != KindOther {
		return kind
	}
	return KindURLList
}

// sniff goes by the content alone.
func sniff(sitemap bool, body []byte) Kind {
	head := body[:min(len(body), 512)]
	if utf16BOM := bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")); utf16BOM {
		return KindHTML
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return KindOther
	}
	head = trimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if len(head) == 0 || head[0] != '<' {
		return plainKind(sitemap, body)
	}
	// XHTML must say that it is XML: "<html>" alone is HTML.
	kind := xmlKind(body)
	if kind == KindOther || kind == KindXHTML && !bytes.HasPrefix(head, []byte("<?xml")) {
		return KindHTML
	}
	return kind
}

// xmlKind goes by the root element.
func xmlKind(body []byte) Kind {
	switch root := localName(rootName(body)); string(root) {
	case "urlset":
		return KindSitemap
	case "sitemapindex":
		return KindSitemapIndex
	case "rss", "feed", "RDF":
		return KindFeed
	case "html":
		return KindXHTML
	}
	return KindOther
}

// maxProlog is how far into a document its root element is looked for.
const maxProlog = 64 << 10

// rootName returns the name of an XML document's root element, nil if it does
// not begin like XML. UTF-16 is read by leaving out its zero bytes.
func rootName(b []byte) []byte {
	b = b[:min(len(b), maxProlog)]
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		b = bytes.ReplaceAll(b[2:], []byte{0}, nil)
	}
	i := pastSpace(b, len(b)-len(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	for i+1 < len(b) && b[i] == '<' {
		switch {
		case b[i+1] == '?':
			i = pastXMLInstruction(b, i)
		case b[i+1] == '!':
			i = pastXMLDeclaration(b, i)
		default:
			_, end := tagName(b, i+1)
			return b[i+1 : end]
		}
		i = pastSpace(b, i)
	}
	return nil
}

// localName cuts a namespace prefix off a name.
func localName(name []byte) []byte { return name[bytes.IndexByte(name, ':')+1:] }

// isGzip reports whether body begins like a gzip stream.
func isGzip(body []byte) bool { return bytes.HasPrefix(body, []byte("\x1f\x8b\x08")) }

func isGzipType(media string) bool {
	return media == "application/gzip" || media == "application/x-gzip"
}

// unpack returns the document's body, unpacked if it is a compressed sitemap
// ("sitemap.xml.gz", where the compression belongs to the file and not to the
// transfer), up to MaxSitemapBytes. On an error it returns the part before it.
// Other archives that a page links to stay as they are.
func (p *Parser) unpack(in Input, media string) ([]byte, error) {
	asked := in.Sitemap || isGzipType(media) && strings.HasSuffix(in.URL.Path(), ".xml.gz")
	if !asked || !isGzip(in.Body) {
		return in.Body, nil
	}
	zr, err := gzip.NewReader(bytes.NewReader(in.Body))
	if err != nil {
		return nil, fmt.Errorf("parse: gzip header of %s: %w", in.URL, err)
	}
	body, err := io.ReadAll(io.LimitReader(zr, MaxSitemapBytes+1))
	if len(body) > MaxSitemapBytes {
		p.page.LinksCut = true
		return body[:MaxSitemapBytes], nil
	}
	if err != nil {
		return body, fmt.Errorf("parse: gzip body of %s: %w", in.URL, err)
	}
	return body, nil
}
