package sheet_test

import (
	"fmt"
	"os"

	"crawler/internal/sheet"
)

func Example() {
	s := sheet.Sheet{
		Title:  "Two filters",
		Config: []sheet.Setting{{Name: "rounds", Value: 5}, {Name: "seed", Value: uint64(1)}},
		Sections: []sheet.Section{{
			ID:    "time_to_ask",
			Title: "Time to ask",
			Notes: []string{"Median of five rounds."},
			Table: &sheet.Table{
				Columns: []sheet.Column{{Name: "filter"}, {Name: "keys"}, {Name: "query", Unit: "ns", Format: "%.1f"}, {Name: "errs"}},
				Rows: [][]sheet.Cell{
					{"classic", 1_000_000, 21.25, 8.2e-3},
					{"split block", 1_000_000, 7.5, 1.05e-2},
				},
			},
		}},
	}
	if err := s.Text(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Two filters
	// ===========
	// setting  value
	// -------  -----
	// rounds       5
	// seed         1
	//
	// Time to ask
	// -----------
	// Median of five rounds.
	//
	// filter            keys  query     errs
	//                            ns
	// -----------  ---------  -----  -------
	// classic      1,000,000   21.2  0.00820
	// split block  1,000,000    7.5   0.0105
}
