package crawlcmd

import (
	"fmt"

	"crawler/cmd/crawler/internal/procinfo"
	"crawler/cmd/crawler/internal/shell"
)

// ownFiles is how many descriptors a crawl needs beside its connections: those of its
// records, its state and its log of seen URLs.
const ownFiles = 48

// fewFiles says that connections will have to wait for descriptors, if they will: the
// crawl then runs as fast as it can.
func (o *options) fewFiles() (warning string) {
	if limit := procinfo.Descriptors(); limit < o.Concurrency+ownFiles {
		return fmt.Sprintf("this process may open %d files and connections, and -c %d wants %d, so some pages may fail: lower -c, or %s",
			limit, o.Concurrency, o.Concurrency+ownFiles, shell.MoreDescriptors)
	}
	return ""
}
