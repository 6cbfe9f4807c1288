package fetch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ports is a set of TCP ports, as ranges in no order. The empty set stands for
// every port but those that browsers refuse too (see ParsePorts).
type Ports []PortRange

// A PortRange has both its ends in it.
type PortRange struct{ First, Last uint16 }

// ParsePorts reads ports and ranges of ports, such as "80,443,8000-8999". "" is
// the empty set: any port that is not on the Fetch Standard's list of bad ports
// (fetch.spec.whatwg.org, section 2.9), those of mail, chat, file and directory
// servers, which a request may turn against their owner.
func ParsePorts(s string) (Ports, error) {
	var ports Ports
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(s, ",") {
		first, last, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			last = first
		}
		a, err1 := strconv.ParseUint(first, 10, 16)
		b, err2 := strconv.ParseUint(last, 10, 16)
		if err1 != nil || err2 != nil || a == 0 || b < a {
			return nil, fmt.Errorf("ports %q: want ports from 1 to 65535 and ranges, such as 80,443,8000-8999", part)
		}
		ports = append(ports, PortRange{uint16(a), uint16(b)})
	}
	return ports, nil
}

// Has reports whether the set contains port.
func (p Ports) Has(port uint16) bool {
	if len(p) == 0 {
		_, bad := slices.BinarySearch(badPorts[:], port)
		return !bad
	}
	for _, r := range p {
		if r.First <= port && port <= r.Last {
			return true
		}
	}
	return false
}

// String returns the set as ParsePorts reads it.
func (p Ports) String() string {
	parts := make([]string, len(p))
	for i, r := range p {
		parts[i] = strconv.Itoa(int(r.First))
		if r.Last > r.First {
			parts[i] += "-" + strconv.Itoa(int(r.Last))
		}
	}
	return strings.Join(parts, ",")
}

// badPorts is the standard's list, in order.
var badPorts = [...]uint16{
	0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
	101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
	389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
	636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
	6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
}
