package parse

import "strings"

// latin1Names are the names of U+00A0 to U+00FF in order. They and a handful
// of others (bareRefs) are references even without their semicolon.
var latin1Names = [96]string{
	"nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect",
	"uml", "copy", "ordf", "laquo", "not", "shy", "reg", "macr",
	"deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot",
	"cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest",
	"Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil",
	"Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml",
	"ETH", "Ntilde", "Ograve", "Oacute", "Ocirc", "Otilde", "Ouml", "times",
	"Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN", "szlig",
	"agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil",
	"egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml",
	"eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml", "divide",
	"oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
}

// windows1252 is what the numeric references 0x80 to 0x9f stand for.
var windows1252 = [32]rune{
	0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
	0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f,
	0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
	0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
}

// bareRefs are the references that need no semicolon.
var bareRefs = func() map[string]rune {
	m := map[string]rune{
		"amp": '&', "AMP": '&', "lt": '<', "LT": '<', "gt": '>', "GT": '>',
		"quot": '"', "QUOT": '"', "COPY": 0xa9, "REG": 0xae,
	}
	for i, name := range latin1Names {
		m[name] = 0xa0 + rune(i)
	}
	return m
}()

// usualNumbers are the numeric references that pages use where names would do.
const usualNumbers = "#10 #13 #32 #34 #034 #38 #038 #39 #039 #60 #62 #91 #93 #124 #160 #169 #171 #174 #183 #187 #215 " +
	"#8201 #8203 #8211 #8212 #8216 #8217 #8220 #8221 #8226 #8230 #8249 #8250 #8482 #8592 #8594 " +
	"#xa #xd #x20 #x22 #x26 #x27 #x2f #x3c #x3d #x3e #x60 #xa0 #xa9 #x2013 #x2014 #x2018 #x2019 #x201c #x201d #x2026"

// namedRefs are the references that pages use: those of HTML 4, and a few. The
// remaining two thousand names of HTML 5 are looked up by rareRef.
var namedRefs = func() *refTable {
	m := map[string]rune{
		"apos": 0x27, "OElig": 0x152, "oelig": 0x153, "Scaron": 0x160,
		"scaron": 0x161, "Yuml": 0x178, "fnof": 0x192, "circ": 0x2c6,
		"tilde": 0x2dc, "Alpha": 0x391, "Beta": 0x392, "Gamma": 0x393,
		"Delta": 0x394, "Epsilon": 0x395, "Zeta": 0x396, "Eta": 0x397,
		"Theta": 0x398, "Iota": 0x399, "Kappa": 0x39a, "Lambda": 0x39b,
		"Mu": 0x39c, "Nu": 0x39d, "Xi": 0x39e, "Omicron": 0x39f, "Pi": 0x3a0,
		"Rho": 0x3a1, "Sigma": 0x3a3, "Tau": 0x3a4, "Upsilon": 0x3a5, "Phi": 0x3a6,
		"Chi": 0x3a7, "Psi": 0x3a8, "Omega": 0x3a9, "alpha": 0x3b1, "beta": 0x3b2,
		"gamma": 0x3b3, "delta": 0x3b4, "epsilon": 0x3b5, "zeta": 0x3b6,
		"eta": 0x3b7, "theta": 0x3b8, "iota": 0x3b9, "kappa": 0x3ba,
		"lambda": 0x3bb, "mu": 0x3bc, "nu": 0x3bd, "xi": 0x3be, "omicron": 0x3bf,
		"pi": 0x3c0, "rho": 0x3c1, "sigmaf": 0x3c2, "sigma": 0x3c3, "tau": 0x3c4,
		"upsilon": 0x3c5, "phi": 0x3c6, "chi": 0x3c7, "psi": 0x3c8, "omega": 0x3c9,
		"thetasym": 0x3d1, "upsih": 0x3d2, "piv": 0x3d6, "ensp": 0x2002,
		"emsp": 0x2003, "thinsp": 0x2009, "zwnj": 0x200c, "zwj": 0x200d,
		"lrm": 0x200e, "rlm": 0x200f, "ndash": 0x2013, "mdash": 0x2014,
		"lsquo": 0x2018, "rsquo": 0x2019, "sbquo": 0x201a, "ldquo": 0x201c,
		"rdquo": 0x201d, "bdquo": 0x201e, "dagger": 0x2020, "Dagger": 0x2021,
		"bull": 0x2022, "hellip": 0x2026, "permil": 0x2030, "prime": 0x2032,
		"Prime": 0x2033, "lsaquo": 0x2039, "rsaquo": 0x203a, "oline": 0x203e,
		"frasl": 0x2044, "euro": 0x20ac, "image": 0x2111, "weierp": 0x2118,
		"real": 0x211c, "trade": 0x2122, "alefsym": 0x2135, "larr": 0x2190,
		"uarr": 0x2191, "rarr": 0x2192, "darr": 0x2193, "harr": 0x2194,
		"crarr": 0x21b5, "lArr": 0x21d0, "uArr": 0x21d1, "rArr": 0x21d2,
		"dArr": 0x21d3, "hArr": 0x21d4, "forall": 0x2200, "part": 0x2202,
		"exist": 0x2203, "empty": 0x2205, "nabla": 0x2207, "isin": 0x2208,
		"notin": 0x2209, "ni": 0x220b, "prod": 0x220f, "sum": 0x2211,
		"minus": 0x2212, "lowast": 0x2217, "radic": 0x221a, "prop": 0x221d,
		"infin": 0x221e, "ang": 0x2220, "and": 0x2227, "or": 0x2228, "cap": 0x2229,
		"cup": 0x222a, "int": 0x222b, "there4": 0x2234, "sim": 0x223c,
		"cong": 0x2245, "asymp": 0x2248, "ne": 0x2260, "equiv": 0x2261,
		"le": 0x2264, "ge": 0x2265, "sub": 0x2282, "sup": 0x2283, "nsub": 0x2284,
		"sube": 0x2286, "supe": 0x2287, "oplus": 0x2295, "otimes": 0x2297,
		"perp": 0x22a5, "sdot": 0x22c5, "lceil": 0x2308, "rceil": 0x2309,
		"lfloor": 0x230a, "rfloor": 0x230b, "lang": 0x27e8, "rang": 0x27e9,
		"loz": 0x25ca, "spades": 0x2660, "clubs": 0x2663, "hearts": 0x2665,
		"diams": 0x2666,
	}
	for name, r := range bareRefs {
		m[name] = r
	}
	for _, name := range strings.Fields(usualNumbers) {
		m[name], _ = numericRef([]byte(name), 1, len(name))
	}
	t := new(refTable)
	for name, r := range m {
		t.add(name, r)
	}
	return t
}()

// refTable finds a reference by its name of up to eight bytes, packed into one
// register. It is a hash table with open addressing, a third full.
type refTable [1024]shortReference

// shortReference is what a reference stands for.
type shortReference struct {
	key  uint64 // 0: none
	r    rune
	size uint8 // of the name and the semicolon
	gap  bool  // r is no part of a word
}

// find returns the reference with that name, or an empty one.
func (t *refTable) find(key uint64) *shortReference {
	for k := key * wy0 >> 54; ; k++ {
		if e := &t[k%uint64(len(t))]; e.key == key || e.key == 0 {
			return e
		}
	}
}

func (t *refTable) add(name string, r rune) {
	key := packRef([]byte(name))
	*t.find(key) = shortReference{key, r, uint8(len(name) + 1), wordRunes.fold(r) == 0}
}

// packRef packs the n <= 8 bytes of a name, whose case counts.
func packRef(name []byte) (key uint64) {
	for k, c := range name {
		key |= uint64(c) << (8 * k)
	}
	return key
}

// shortRef returns the reference whose name w begins with, up to a semicolon in
// w, or nil if it knows none.
func shortRef(w uint64) *shortReference {
	semicolon := zeroBytes(w ^ ';'*ones)
	if semicolon == 0 {
		return nil
	}
	n := firstByte(semicolon)
	ref := namedRefs.find(w &^ (^uint64(0) << (8 * n)))
	if int(ref.size) != n+1 { // there is none, or a NUL looked like padding
		return nil
	}
	return ref
}
