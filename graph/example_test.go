package graph_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"crawler/graph"
)

// A graph of three pages, built, opened and asked.
func Example() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	b, err := graph.NewBuilder(graph.BuildConfig{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	home, about := "https://example.com/", "https://example.com/about"
	if err := b.AddPage(home, []string{about, "https://docs.example.com/"}); err != nil {
		log.Fatal(err)
	}
	if err := b.AddPage(about, []string{home}); err != nil {
		log.Fatal(err)
	}
	base := filepath.Join(dir, "example")
	if _, err := b.Build(base); err != nil {
		log.Fatal(err)
	}

	g, err := graph.Open(base)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	node, _, err := g.URLs().Find(home)
	if err != nil {
		log.Fatal(err)
	}
	links, err := g.Successors(node, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, to := range links {
		url, err := g.URLs().At(int(to))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(url)
	}
	// Output:
	// https://example.com/about
	// https://docs.example.com/
}
