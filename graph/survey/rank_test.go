package survey

import (
	"math"
	"testing"
)

func checkRank(t *testing.T, s *Survey, e *exact) {
	byLinks, err := s.Rank(t.Context(), RankConfig{By: ByLinks, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	before := math.MaxInt
	for _, row := range table(t, byLinks, "Ranking", 1, 4) {
		if n := len(e.in[row[1].(string)]); row[0] != n || n > before {
			t.Errorf("%v has %d links", row, n)
		} else {
			before = n
		}
	}
	want := slowRank(t, s, e)
	ranked, err := s.Rank(t.Context(), RankConfig{})
	if err != nil {
		t.Fatal(err)
	}
	rows := table(t, ranked, "Ranking", 1, 6)
	if len(rows) != s.out.Nodes() {
		t.Errorf("%d URLs are ranked", len(rows))
	}
	for _, row := range rows {
		if got := row[0].(float64); math.Abs(got-want[row[1].(string)]) > 1e-6 {
			t.Errorf("%v, want %v", row, want[row[1].(string)])
		}
	}
}

// slowRank is PageRank by its definition.
func slowRank(t *testing.T, s *Survey, e *exact) map[string]float64 {
	rank, n := map[string]float64{}, float64(s.out.Nodes())
	err := s.urls.All(func(_ int, u string) bool {
		rank[u] = 1 / n
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		next, lost := make(map[string]float64, len(rank)), 0.0
		for u, r := range rank {
			if len(e.out[u]) == 0 {
				lost += r
			}
			for to := range e.out[u] {
				next[to] += 0.85 * r / float64(len(e.out[u]))
			}
		}
		for u := range rank {
			next[u] += (0.15 + 0.85*lost) / n
		}
		rank = next
	}
	return rank
}
