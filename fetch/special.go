package fetch

import "net/netip"

// A block is a range of addresses that are not hosts of the public internet.
type block struct {
	net      netip.Prefix
	what     string // its purpose
	source   string // the document that defines it
	metadata bool   // of a cloud's own services, which hand out credentials
}

// blocks are the special-purpose ranges of IANA's registries for IPv4 and IPv6 (RFC
// 6890), the multicast and reserved space beside them, and the addresses at which
// clouds serve metadata to their machines. The first that contains an address names
// it, so what is narrower comes first. Left out are the ranges of the registries
// that must be reachable from everywhere: AS112 (RFC 7534, 7535) and AMT (RFC
// 7450).
var blocks = makeBlocks()

// makeBlocks returns the table. Written once, then only read.
func makeBlocks() []block {
	return []block{
		{cidr("169.254.169.254/32"), "cloud metadata", "link-local, RFC 3927", true},
		{cidr("169.254.170.0/24"), "cloud metadata (containers)", "link-local, RFC 3927", true},
		{cidr("100.100.100.200/32"), "cloud metadata (Alibaba)", "shared, RFC 6598", true},
		{cidr("168.63.129.16/32"), "cloud metadata (Azure)", "Azure's documentation", true},
		{cidr("192.0.0.192/32"), "cloud metadata (Oracle)", "protocol assignments, RFC 6890", true},
		{cidr("fd00:ec2::/32"), "cloud metadata (Amazon)", "unique local, RFC 4193", true},
		{cidr("fd20:ce::254/128"), "cloud metadata (Google)", "unique local, RFC 4193", true},

		{cidr("0.0.0.0/8"), "this network", "RFC 1122, section 3.2.1.3", false},
		{cidr("10.0.0.0/8"), "private", "RFC 1918", false},
		{cidr("100.64.0.0/10"), "shared (carrier NAT)", "RFC 6598", false},
		{cidr("127.0.0.0/8"), "loopback", "RFC 1122, section 3.2.1.3", false},
		{cidr("169.254.0.0/16"), "link-local", "RFC 3927", true},
		{cidr("172.16.0.0/12"), "private", "RFC 1918", false},
		{cidr("192.0.0.0/24"), "protocol assignments", "RFC 6890", false},
		{cidr("192.0.2.0/24"), "documentation", "RFC 5737", false},
		{cidr("192.88.99.0/24"), "6to4 relay", "RFC 7526", false},
		{cidr("192.168.0.0/16"), "private", "RFC 1918", false},
		{cidr("198.18.0.0/15"), "benchmarking", "RFC 2544", false},
		{cidr("198.51.100.0/24"), "documentation", "RFC 5737", false},
		{cidr("203.0.113.0/24"), "documentation", "RFC 5737", false},
		{cidr("224.0.0.0/4"), "multicast", "RFC 5771", false},
		{cidr("255.255.255.255/32"), "broadcast", "RFC 919", false},
		{cidr("240.0.0.0/4"), "reserved", "RFC 1112, section 4", false},

		{cidr("::/128"), "unspecified", "RFC 4291, section 2.5.2", false},
		{cidr("::1/128"), "loopback", "RFC 4291, section 2.5.3", false},
		{cidr("::/96"), "IPv4-compatible", "RFC 4291, section 2.5.5.1", false},
		// Where in such an address the IPv4 address lies is up to the network, so it
		// cannot be judged.
		{cidr("64:ff9b:1::/48"), "local NAT64", "RFC 8215", false},
		{cidr("100::/64"), "discard-only", "RFC 6666", false},
		{cidr("100:0:0:1::/64"), "dummy prefix", "RFC 9780", false},
		{cidr("2001::/32"), "Teredo", "RFC 4380", false},
		{cidr("2001:2::/48"), "benchmarking", "RFC 5180", false},
		{cidr("2001:10::/28"), "ORCHID", "RFC 4843", false},
		{cidr("2001:20::/28"), "ORCHIDv2", "RFC 7343", false},
		{cidr("2001::/23"), "protocol assignments", "RFC 2928", false},
		{cidr("2001:db8::/32"), "documentation", "RFC 3849", false},
		{cidr("2002::/16"), "6to4", "RFC 3056", false},
		{cidr("3fff::/20"), "documentation", "RFC 9637", false},
		{cidr("5f00::/16"), "segment routing", "RFC 9602", false},
		{cidr("fc00::/7"), "unique local", "RFC 4193", false},
		{cidr("fe80::/10"), "link-local", "RFC 4291, section 2.5.6", true},
		{cidr("fec0::/10"), "site-local", "RFC 3879", false},
		{cidr("ff00::/8"), "multicast", "RFC 4291, section 2.7", false},
	}
}

var (
	// nat64 addresses are IPv4 addresses, in their last 32 bits (RFC 6052).
	nat64 = cidr("64:ff9b::/96")
	// globalUnicast is all of IPv6 that has been given out so far.
	globalUnicast = cidr("2000::/3")
	unallocated   = block{what: "unallocated", source: "RFC 4291, section 2.4"}
)

func cidr(s string) netip.Prefix { return netip.MustParsePrefix(s) }

// plainAddr strips an address of what does not change where it leads: a zone, and
// the IPv6 wrapping of an IPv4 address that a socket (RFC 4291, section 2.5.5.2) or
// a NAT64 takes off.
func plainAddr(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if nat64.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// special returns the block a plain address lies in, nil for a public one. Cost:
// under a microsecond, once a connection.
func special(a netip.Addr) *block {
	for i := range blocks {
		if blocks[i].net.Contains(a) {
			return &blocks[i]
		}
	}
	if a.Is6() && !globalUnicast.Contains(a) {
		return &unallocated
	}
	return nil
}
