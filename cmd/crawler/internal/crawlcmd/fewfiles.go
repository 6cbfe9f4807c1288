package crawlcmd

import (
	"fmt"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
)

// fewFiles says that pages will have to wait for connections, if they will: the
// crawl then runs as fast as it can.
func (o *options) fewFiles() (warning string) {
	limit := procinfo.Descriptors()
	if conns := settings.OpenConns(limit); conns < o.Concurrency {
		return fmt.Sprintf("this process may open %d files and connections, which leaves %d connections of the %d that -c allows, so pages wait for one: %s",
			limit, conns, o.Concurrency, shell.MoreDescriptors)
	}
	return ""
}
