package trap

import (
	"strings"

	"crawler/weburl"
)

// isService reports whether a URL's names say that it does something for a visitor, or shows in
// another way what stands elsewhere: a login, an answer to a post, a cart, a search, a printed
// form, a comparison of revisions, a page for those who come from an advertisement, a packed file.
// Such pages come last of those that are as likely, as aspects do: there may be no end of them, and
// their text does not show what they are. On a site that has nothing else they come as they did,
// since all of them wait.
//
// The names are those that robots.txt of several of some 6,000 domains excludes, what archivists of
// forums and wikis leave out, and parameters of searches, bookings and advertisements.
func isService(u weburl.URL) bool {
	for rest, more := u.Path()[1:], true; more; {
		var segment string
		before := rest
		segment, rest, more = strings.Cut(rest, "/")
		segment = withoutSession(segment)
		last := !more || rest == ""
		is := servicePlace(segment)
		if dot := strings.IndexByte(segment, '.'); is == 0 && last && dot > 0 {
			is = servicePlace(segment[:dot])
			if isProgramKind(segment[dot:]) && (is == atEnd || searches(segment[:dot], segment[dot:])) || isPacked(segment) {
				return true
			}
		}
		if is == anywhere || is == atEnd && last && len(before) < len(u.Path())-1 {
			return true
		}
	}
	if !u.HasQuery() {
		return false
	}
	for query, more := u.Query(), true; more; {
		var pair string
		pair, query, more = cutParam(query)
		name, value, _ := strings.Cut(pair, "=")
		switch is := servicePlace(value); {
		case is == anywhere || is == atEnd:
			return true
		case servicePlace(unindexed(name)) != 0 && !isPage(u, name, value):
			return true
		}
	}
	return false
}

// serviceChance is the chance of a service beside that of another URL: it waits four ranks longer.
const serviceChance = 0.25

// isProgramKind reports whether the end of a file's name is that of programs.
func isProgramKind(kind string) bool {
	switch kind {
	case ".php", ".phtml", ".asp", ".aspx", ".jsp", ".jspx", ".do", ".action", ".cfm", ".cgi", ".pl", ".py", ".dll", ".exe":
		return true
	}
	return false
}

// isPacked reports whether a file's name is that of one that is packed: it is fetched to be
// unpacked, and not to be read. A wiki's page of a file has a namespace before it.
func isPacked(file string) bool {
	if strings.IndexByte(file, ':') >= 0 {
		return false
	}
	kind := file[strings.LastIndexByte(file, '.'):]
	if len(kind) > longestName {
		return false
	}
	var lower [longestName]byte // a string in lower case would be allocated
	switch string(inLower(&lower, kind)) {
	case ".gz", ".tgz", ".bz2", ".xz", ".zst", ".zip", ".tar", ".7z", ".rar", ".iso", ".dmg", ".msi", ".deb", ".rpm", ".jar", ".apk":
		return true
	}
	return false
}

// searches reports whether a program's name ends in the word search, as that of opac-search.pl, or
// in its results. Files of Python are more often read than run.
func searches(program, kind string) bool {
	if kind == ".py" {
		return false
	}
	end := strings.LastIndexAny(program, "-_")
	if end < 0 {
		return false
	}
	last := program[end+1:]
	if strings.EqualFold(last, "result") || strings.EqualFold(last, "results") {
		program = program[:end]
		last = program[strings.LastIndexAny(program, "-_")+1:]
	}
	return strings.EqualFold(last, "search")
}

// isPage reports whether a parameter q names a page, as Drupal's ?q=node/17&page=2 or ?q=contact
// does, and not what is searched for: it is a path, or alone.
func isPage(u weburl.URL, name, value string) bool {
	return strings.EqualFold(name, "q") && isRoot(u.Path()) && (hasSlash(value) || !strings.Contains(u.Query(), "&"))
}

func hasSlash(value string) bool {
	return strings.Contains(value, "/") || strings.Contains(value, "%2F") || strings.Contains(value, "%2f")
}

// isRoot reports whether a path is that of a directory's first program.
func isRoot(path string) bool {
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, "/index.php")
}

// place says where in a URL a name is one of a service.
type place uint8

const (
	anywhere    place = 1 + iota
	atEnd             // as the last of several segments, a program, a parameter or the value of one
	asParameter       // as the name of a parameter, but not as its value
)

// longestName is how long a name of a service may be.
const longestName = 20

// servicePlace returns where s is a name of a service, in upper or lower case; 0 if it is none.
// Wikis have a namespace before it.
func servicePlace(s string) place {
	s = s[strings.LastIndexByte(s, ':')+1:]
	if len(s) > longestName {
		return 0
	}
	var lower [longestName]byte
	switch string(inLower(&lower, s)) {
	case "admin", "administrator", "wp-admin", "wp-login", "login", "logout", "logon", "signin", "signout",
		"signup", "password", "lostpassword", "my-account", "authentication", "ucp", "usercp", "mcp",
		"reply", "newreply", "newthread", "newtopic", "posting", "editpost", "edit", "reporttm",
		"ratethread", "replytocom", "markread", "quickmod", "privmsg", "sendmessage", "sendthread",
		"emailuser", "sendfriend", "tellafriend", "email-friend", "mailto", "ecard", "subscribe",
		"unsubscribe", "newsletter", "whoposted", "post_thanks", "share", "sharelink", "cart", "basket",
		"checkout", "wishlist", "compare", "product_compare", "add-to-cart", "add_to_cart", "print",
		"printpage", "printthread", "printview", "printable", "drukuj", "embed", "ical", "ics", "feed",
		"rss", "atom", "trackback", "diff", "oldid", "undoafter", "redlink", "blame", "annotate",
		"recentchangeslinked", "whatlinkshere", "recentchanges", "mobileaction", "search", "searchquery",
		"search_query", "advanced_search", "catalogsearch", "szukaj", "hilit", "calendar", "nextnewest",
		"nextoldest", "prev_next", "lastpost", "getlastpost", "newpost", "redirect", "redir", "goto",
		"returnto", "return_to", "returnurl", "return_url", "redirect_to", "referer", "referrer",
		"newlanguage", "setlang", "memberlist", "suche", "buscar":
		return anywhere
	case "account", "register", "registration", "subscription", "private", "mail", "email", "recommend",
		"fav", "favorite", "favorites", "bookmark", "report", "quote", "flag", "vote", "rate", "export",
		"preview", "popup", "pdf", "wap", "sort", "sortby", "sort_by", "sort-by", "order", "orderby",
		"order_by", "orderway", "sortorder", "sort_order", "history", "curid", "rev", "revision",
		"revisions", "undo", "highlight", "hl", "random", "out", "return", "destination", "back", "skin",
		"theme", "lang", "ajax":
		return atEnd
	case "q", "query", "keyword", "keywords", "filter", "arrival", "arrival_date", "departure", "departure_date",
		"checkin", "check_in", "nights", "utm_source", "utm_medium", "utm_campaign", "utm_content",
		"utm_term", "gclid", "fbclid":
		return asParameter
	}
	return 0
}

// inLower writes s in lower case, which has room in the memory.
func inLower(memory *[longestName]byte, s string) []byte {
	for i := range len(s) {
		memory[i] = toLower(s[i])
	}
	return memory[:len(s)]
}

func toLower(c byte) byte {
	if c-'A' < 26 {
		return c + 'a' - 'A'
	}
	return c
}
