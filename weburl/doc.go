// Package weburl turns the references found on web pages into canonical URLs:
// two references that a browser would follow to the same place become equal
// values, as far as their spelling shows it.
//
// # Terms
//
// A reference is what stands in an href attribute: "../a.html#top", "?page=2",
// "//cdn.test/x.js", "https://go.dev". It is resolved against the base URL of
// its page into an absolute URL: scheme://host[:port]/path[?query]. The origin
// is scheme, host and port together, the unit that a robots.txt applies to. Canonical
// means: of all spellings of a URL, the one this package writes. A crawler
// compares, stores and hashes nothing else, or it fetches pages twice.
//
// The meaning of a reference is defined by the URL Standard (WHATWG,
// url.spec.whatwg.org), which describes what browsers do, and not by RFC 3986,
// which describes what authors should write. This package follows the standard
// for http and https and refuses other schemes.
//
// # The canonical form
//
// As the standard says:
//
//  1. Controls and spaces around the reference, and tabs and line ends anywhere
//     in it, are removed. A backslash before the query is a slash.
//  2. Scheme and host are in lower case. A default port (80, 443) is left out.
//  3. Host names beyond ASCII are mapped to ASCII (UTS 46, non-transitional).
//     Percent-encodings in a host are decoded.
//  4. A host that ends in a number is an IPv4 address in any notation, decimal,
//     octal or hex with one to four parts, and becomes four decimal ones:
//     0x7f.1 is 127.0.0.1. IPv6 addresses are compressed.
//  5. The segments "." and ".." are resolved, in the spelling %2e too. An empty
//     path is "/". Empty segments stay: /a//b is not /a/b.
//  6. Characters not allowed in a URL are percent-encoded as UTF-8. A percent sign that
//     begins no encoding stays as it is. The query keeps its order; a "?" with
//     nothing behind it stays.
//
// Beyond the standard, so that fewer spellings of one resource remain, and each
// is safe by RFC 3986, section 6.2.2, which calls both sides equivalent:
//
//  7. Percent-encodings are in upper case: %c3 becomes %C3.
//  8. Percent-encoded letters, digits and "-._~" are decoded: %7Eme becomes
//     ~me. All other encodings stay, since /a%2Fb is not /a/b.
//
// And because a crawler is no browser:
//
//  9. The fragment is dropped: it never reaches the server.
//  10. User info (user:password@) is dropped: credentials found on pages must
//     not travel into requests and reports.
//  11. URLs over MaxLen and host names over 1,024 bytes are refused.
//
// Options adds one more, which can change what a server answers, and so is off
// by default: named query parameters, such as trackers, are dropped.
//
// docs/url.md has the rules in full, each difference from the standard with its
// reason, and the figures of the standard's own tests.
//
// # Invariants
//
// For every URL u that this package returns: Parse(u.String()) is u, and so is
// resolving u.String() against any base; u.String() is printable ASCII; its
// parts joined again are u. Fuzz tests hold this.
//
// # Costs
//
// Parse of a URL that is canonical already is one table look-up a byte and no
// allocation, about 35 ns for 50 bytes. A Resolver, which cuts its results from
// chunks, takes about 80 ns and 0.005 allocations a link of real pages. A URL
// takes 24 bytes and its text.
package weburl
