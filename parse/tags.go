package parse

// tagID is a tag the parser acts on.
type tagID uint8

const (
	tagOther tagID = iota
	tagA
	tagArea
	tagAudio
	tagBase
	tagEmbed
	tagFrame
	tagHTML
	tagIFrame
	tagImage
	tagImg
	tagInput
	tagLink
	tagMath
	tagMeta
	tagNoEmbed
	tagNoFrames
	tagNoScript
	tagObject
	tagScript
	tagSource
	tagStyle
	tagSVG
	tagTemplate
	tagTextarea
	tagTitle
	tagTrack
	tagVideo
	tagXMP
	tagPlaintext
)

// attrID is an attribute the parser reads.
type attrID uint8

const (
	attrHref attrID = iota
	attrRel
	attrSrc
	attrName
	attrContent
	attrCharset
	attrLang
	attrType
	attrData
	attrPoster
	attrSrcset
	attrColor
	attrFace
	attrSize
	attrEncoding
	attrAlt
	attrFilled
	attrHttpEquiv
	attrXlinkHref
	attrXmlLang
	attrCount
	attrOther = attrCount
)

// tagNames and attrNames are what a nameTable can find: names of up to eight
// letters. The others are compared where they matter.
var (
	tagNames = [...]string{
		tagA:        "a",
		tagArea:     "area",
		tagAudio:    "audio",
		tagBase:     "base",
		tagEmbed:    "embed",
		tagFrame:    "frame",
		tagHTML:     "html",
		tagIFrame:   "iframe",
		tagImage:    "image",
		tagImg:      "img",
		tagInput:    "input",
		tagLink:     "link",
		tagMath:     "math",
		tagMeta:     "meta",
		tagNoEmbed:  "noembed",
		tagNoFrames: "noframes",
		tagNoScript: "noscript",
		tagObject:   "object",
		tagScript:   "script",
		tagSource:   "source",
		tagStyle:    "style",
		tagSVG:      "svg",
		tagTemplate: "template",
		tagTextarea: "textarea",
		tagTitle:    "title",
		tagTrack:    "track",
		tagVideo:    "video",
		tagXMP:      "xmp",
	}
	attrNames = [...]string{
		attrHref:     "href",
		attrRel:      "rel",
		attrSrc:      "src",
		attrName:     "name",
		attrContent:  "content",
		attrCharset:  "charset",
		attrLang:     "lang",
		attrType:     "type",
		attrData:     "data",
		attrPoster:   "poster",
		attrSrcset:   "srcset",
		attrColor:    "color",
		attrFace:     "face",
		attrSize:     "size",
		attrEncoding: "encoding",
		attrAlt:      "alt",
		attrFilled:   "value",
	}
	tagTable  = newNameTable(tagNames[:], uint8(tagOther))
	attrTable = newNameTable(attrNames[:], uint8(attrOther))
)

// nameTable finds a name by its bytes, lower-cased and packed into one
// register. It is a perfect hash: no two names share a slot, so that one
// multiplication and one comparison do.
type nameTable struct {
	mul   uint64
	other uint8
	slots [256]struct {
		key uint64 // 0: empty
		id  uint8
	}
}

// newNameTable makes a table of names and their indexes; other is what all
// other names are. It tries multipliers until no names collide: with at most
// 32 names, one in seven does.
func newNameTable(names []string, other uint8) *nameTable {
	for i := range uint64(maxMultipliers) {
		t := &nameTable{mul: wy0 + 2*i*wy2, other: other}
		if t.fill(names) {
			return t
		}
	}
	panic("parse: no perfect hash for the names of tags and attributes")
}

// maxMultipliers bounds the search.
const maxMultipliers = 1000

// fill enters the names and reports whether each has a slot of its own.
func (t *nameTable) fill(names []string) bool {
	for i := range t.slots {
		t.slots[i].id = t.other
	}
	for id, name := range names {
		if name == "" {
			continue
		}
		key := packName([]byte(name), 0, len(name))
		e := &t.slots[t.slot(key)]
		if e.key != 0 {
			return false
		}
		e.key, e.id = key, uint8(id)
	}
	return true
}

func (t *nameTable) slot(key uint64) uint8 { return uint8(key * t.mul >> 56) }

// find returns the id of the packed name.
func (t *nameTable) find(key uint64) uint8 {
	if e := &t.slots[t.slot(key)]; e.key == key {
		return e.id
	}
	return t.other
}

// Packed names of the two elements that open foreign content.
const (
	keySVG  = 's' | 'v'<<8 | 'g'<<16
	keyMath = 'm' | 'a'<<8 | 't'<<16 | 'h'<<24
)

// tagNamed returns the tag with that name, of which key is the packed form if
// it has one.
func tagNamed(key uint64, name []byte) tagID {
	if key == 0 && equalFold(name, "plaintext") {
		return tagPlaintext
	}
	return tagOf(key)
}

func tagOf(key uint64) tagID   { return tagID(tagTable.find(key)) }
func attrOf(key uint64) attrID { return attrID(attrTable.find(key)) }
