package crawl

import (
	"math"
	"slices"
	"strings"
)

// binaryLimit is how much is read of a body that has neither words nor links: enough to
// tell two of them apart.
const binaryLimit = 256 << 10

// bodyLimit bounds bodies by their media type. A gzip stream may be a sitemap.
func bodyLimit(mediaType string) int64 {
	kind, _, _ := strings.Cut(mediaType, "/")
	switch {
	case mediaType == "image/svg+xml":
	case slices.Contains(binaryKinds, kind), slices.Contains(binaryTypes, mediaType):
		return binaryLimit
	}
	return math.MaxInt64
}

var (
	binaryKinds = []string{"audio", "font", "image", "video"}
	binaryTypes = []string{
		"application/octet-stream", "application/pdf", "application/zip", "application/x-rar-compressed", "application/wasm",
		"application/ogg", "application/postscript", "application/vnd.ms-fontobject",
	}
)
