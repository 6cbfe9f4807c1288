package trap_test

import (
	"fmt"

	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// A server answers every address with one page. After some of them the Guard
// refuses the rest.
func ExampleGuard() {
	g := trap.New(trap.Config{Budget: 20})
	var s trap.Sampler // one a worker
	text := []uint64{parse.HashWord([]byte("nothing")), parse.HashWord([]byte("here"))}
	fetched := 0
	for i := range 100 {
		u, err := weburl.Parse(fmt.Sprintf("https://soft.example/find/thing%dx", i))
		if err != nil {
			panic(err)
		}
		if v := g.Judge(u, ""); v.Kind != "" {
			fmt.Println(v.Kind, v.Pattern, "after", fetched, "pages")
			break
		}
		fetched++
		if g.Watch(u, weburl.URL{}) {
			next, err := weburl.Parse(fmt.Sprintf("https://soft.example/find/more%dx", i))
			if err != nil {
				panic(err)
			}
			g.Link(next, false) // which was not known before
		}
		g.Learn(s.Page(u, 200, text, nil, nil, 0, 0))
	}
	// Output: copies soft.example/find/* after 36 pages
}
