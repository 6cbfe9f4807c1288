package mazes

import (
	"fmt"
	"slices"
	"strings"
)

// FileServer is a tree of directories, each with a list of what is in it, of about so many files.
// A third of them are pictures, in trees of their own: pages without a word. The others are texts.
func FileServer(seed uint64, files int) *Site {
	s := &Site{Name: "file server", words: vocabulary(seed), ranks: zipf(seed), seed: seed}
	s.Seed = "http://" + host(s.Name) + "/"
	tree := fileTree{1 + files/filesEach}
	s.page = func(s *Site, _, uri string) Answer { return tree.get(s, uri) }
	return s
}

// fileTree is so many directories, the first of which is the root.
type fileTree struct{ dirs int }

const (
	dirsEach, filesEach = 40, 60
	firstDirName        = 2000 // among the words of a site
)

// parent returns the directory that directory k is in.
func (fileTree) parent(k int) int { return (k - 1) / dirsEach }

func (t fileTree) name(s *Site, k int) string { return s.words[firstDirName+k%1000] }

// pictures reports whether the files of a directory are pictures: all are in every third tree.
func (t fileTree) pictures(k int) bool {
	for k > dirsEach {
		k = t.parent(k)
	}
	return k%3 == 1
}

// files returns the names of a directory's files.
func (t fileTree) files(s *Site, dir int) (names []string) {
	for _, w := range strings.Fields(s.text(fmt.Sprint("files", dir), filesEach)) {
		names = append(names, fmt.Sprintf("%s%d.txt", w, len(names)))
	}
	return names
}

func (t fileTree) get(s *Site, uri string) Answer {
	dir, rest := 0, strings.TrimPrefix(uri, "/")
	for {
		name, below, ok := strings.Cut(rest, "/")
		if !ok {
			break
		}
		next := -1
		for k := dir*dirsEach + 1; k <= (dir+1)*dirsEach && k < t.dirs; k++ {
			if t.name(s, k) == name {
				next = k
			}
		}
		if next < 0 {
			return gone()
		}
		dir, rest = next, below
	}
	if rest == "" {
		return t.list(s, uri, dir)
	}
	switch i := slices.Index(t.files(s, dir), rest); {
	case i < 0:
		return gone()
	case t.pictures(dir):
		return Answer{Body: fmt.Appendf(nil, "<!-- %d %d -->", dir, i)}
	}
	r := s.random(uri)
	return Answer{Body: []byte("<pre>" + s.prose(r, 4+r.IntN(20), vocabularySize) + "</pre>")}
}

func (t fileTree) list(s *Site, uri string, dir int) Answer {
	d := &doc{}
	d.say("<title>Index of %s</title>", uri)
	if dir > 0 {
		d.link("../", "../")
	}
	for k := dir*dirsEach + 1; k <= (dir+1)*dirsEach && k < t.dirs; k++ {
		d.link(t.name(s, k)+"/", t.name(s, k)+"/")
	}
	for _, name := range t.files(s, dir) {
		d.link(name, name)
	}
	return d.answer()
}
