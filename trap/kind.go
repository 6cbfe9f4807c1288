package trap

// Kind is a kind of trap, which is what people call what the evidence shows; "" is none.
type Kind string

// The kinds of trap.
const (
	Deep       Kind = "deep"       // more than MaxSegments path segments
	EqualKeys  Kind = "equal-keys" // more than MaxEqualKeys parameters of one name in a row
	Copies     Kind = "copies"     // one page for any address
	Session    Kind = "session"    // the same pages under new session ids
	Subdomains Kind = "subdomains" // the same pages on any host of a domain
	Calendar   Kind = "calendar"   // dates without end and without events
	Facets     Kind = "facets"     // the same things in every sorting and selection
	Pattern    Kind = "pattern"    // addresses of one shape whose pages say nothing of their own
	Growing    Kind = "growing"    // addresses that grow with every link
	Maze       Kind = "maze"       // every page links to several new ones and to no known one
)

// The limits of what an honest URL has.
const (
	MaxSegments  = 64
	MaxEqualKeys = 16
)

// DefaultBudget is how many pages a pattern may bring nothing with. A pattern of which one page
// in 1/leastNew brings something never spends it. One that brings nothing costs a polite crawl
// seven minutes of its host's time, at the end of that host's queue.
const DefaultBudget = 400

// Config says what to guard against. The zero value is the default.
type Config struct {
	Patterns int // most patterns remembered; 0 means 2,048
	Budget   int // pages that may bring nothing before a pattern closes; 0 means DefaultBudget

	// Trust lists prefixes of URLs without scheme, such as "shop.test/list", and of
	// patterns, such as "*.shop.test/#": nothing that begins with one is refused or postponed.
	Trust []string
}

const (
	defaultPatterns = 2048
	leastPatterns   = 16
)
