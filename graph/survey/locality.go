package survey

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/internal/sheet"
)

// locality counts the links that stay within a host and within a directory: 8 bytes a node.
// Hosts and directories are compared by 32 bits of a hash, so one in four billion pairs of
// different ones counts as the same.
func (s *Survey) locality(ctx context.Context) (sheet.Section, error) {
	n := s.out.Nodes()
	host, directory := make([]uint32, n), make([]uint32, n)
	hosts, last := 0, "" // those of a host stand together
	err := s.urls.All(func(v int, url string) bool {
		h, dir := placeOf(url)
		if h != last || v == 0 {
			hosts, last = hosts+1, h
		}
		host[v], directory[v] = uint32(xxhash.Sum64String(h)), uint32(xxhash.Sum64String(dir))
		return v%4096 != 0 || ctx.Err() == nil
	})
	if err != nil {
		return sheet.Section{}, err
	}
	var inHost, inDirectory int64
	err = s.each(ctx, func(v int, list []uint32) {
		for _, w := range list {
			if host[v] == host[w] {
				inHost++
			}
			if directory[v] == directory[w] {
				inDirectory++
			}
		}
	})
	if err != nil {
		return sheet.Section{}, err
	}
	f := &figures{}
	f.add("hosts", hosts)
	f.add("links within a host", inHost)
	f.add("share within a host", share(inHost, s.out.Edges()))
	f.add("links within a directory", inDirectory)
	f.add("share within a directory", share(inDirectory, s.out.Edges()))
	return f.section("Locality"), nil
}

// placeOf returns the host of a URL, with its port, and its directory, with the host.
func placeOf(url string) (host, directory string) {
	_, rest, _ := strings.Cut(url, "://")
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	host, _, _ = strings.Cut(rest, "/")
	return host, rest[:max(strings.LastIndexByte(rest, '/')+1, len(host))]
}
