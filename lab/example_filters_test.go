package lab_test

import (
	"context"
	"fmt"

	"crawler/lab"
)

// What the published multilayer filter answers to new URLs that are known ones with two
// segments swapped.
func ExampleFilters() {
	ctx := context.Background()
	corpus, err := lab.GenerateCorpus(ctx, lab.CorpusConfig{MaxURLs: 2000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := lab.Filters(ctx, lab.FiltersConfig{Corpus: corpus, Sizes: []int{1800}, Questions: 500})
	if err != nil {
		fmt.Println(err)
		return
	}
	hard := s.Sections[len(s.Sections)-1].Table
	for _, row := range hard.Rows {
		if question, structure := row[0], row[1]; question == "swapped, both known in new places" &&
			(structure == "map" || structure == "published") {
			fmt.Printf("%s: %d asked, %d answered \"seen\"\n", structure, row[2], row[3])
		}
	}
	// Output:
	// map: 500 asked, 0 answered "seen"
	// published: 500 asked, 500 answered "seen"
}
