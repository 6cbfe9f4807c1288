package lab

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// The source's example, by hand: every query occurs twice. In a tenth of the positions a query is
// once with 2 · 0.1 · 0.9 = 0.18 and twice with 0.01, so 18 of 19 that are there seem unique;
// none is.
func TestSeemsOnceByHand(t *testing.T) {
	s := &tuples{counts: map[uint64]uint64{}}
	for key := range uint64(100) {
		s.add(key, 0)
		s.add(key, 0)
	}
	if got := s.seemsOnce(0.1); math.Abs(got-18.0/19) > 1e-12 || s.once() != 0 {
		t.Errorf("%v seem unique, %v are", got, s.once())
	}
	// d once, d twice: 0.1 + 0.18 of 0.1 + 0.19.
	for key := range uint64(100) {
		s.add(1000+key, 0)
	}
	if got := s.seemsOnce(0.1); math.Abs(got-0.28/0.29) > 1e-12 || s.once() != 0.5 {
		t.Errorf("%v seem unique, %v are", got, s.once())
	}
}

// The source's limit, by hand: keys 0 to 9 are their own buckets, at most 4 elements are kept.
func TestBucketsByHand(t *testing.T) {
	var given [][3]int
	b := &buckets{limit: 4, accepted: 10, sizes: make([]int, 10), of: func(key uint64) int { return int(key) }}
	b.given = func(bucket, before int) { given = append(given, [3]int{bucket, before, b.total}) }
	for _, key := range []uint64{9, 0, 42, 8, 9, 1, 9, 7, 0, 0, 0} {
		b.add(key)
	}
	// 9 0 8 9 are four; with 1 they are five: 9 goes with its two. 7 makes 0 8 1 7; the second 0
	// five: nothing is in 9 any more, 8 goes, then 0 0 1 7. The third 0: 7 goes. 0 0 0 1, the
	// fourth: 6 to 2 are empty and go in vain, then 1.
	want := [][3]int{{9, 5, 3}, {8, 5, 4}, {7, 5, 4}, {6, 5, 5}, {5, 5, 5}, {4, 5, 5}, {3, 5, 5}, {2, 5, 5}, {1, 5, 4}}
	if !reflect.DeepEqual(given, want) || b.accepted != 1 || b.total != 4 {
		t.Errorf("given up: %v, want %v; %d elements", given, want, b.total)
	}
}

// The tuples of the source, by hand: the salaries of A range over 20, of B over 45, of C, with one
// employee, over 0; the mean is 65/3.
func TestSampleOfATable(t *testing.T) {
	for _, c := range []struct{ name, text, key, value string }{
		{"csv", "EmpID,Dept,Salary\n1,A,10\n2,B,5\n3,A,30\n4,\"C, D\",7\n5,B,50\n6,A,20\n7,A,\n8,B,many\n9\n", "Dept", "Salary"},
		{"tabs, by number", "\ufeffDept\tSalary\nA\t10\nB\t5\nA\t30\nC\t7\nB\t50\nA\t2e1\nB\tNaN\nA\t\n\t\n", "1", "2"},
		{"byte-order mark", "\ufeffDept,Salary\r\nA,10\r\nB,5\r\nA,30\r\nC,7\r\nB,50\r\nA,20\r\nA,x\r\nA,y\r\nA,z", "Dept", "Salary"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Sample(t.Context(), SampleConfig{Path: "-", In: strings.NewReader(c.text), Key: c.key, Value: c.value})
			if err != nil {
				t.Fatal(err)
			}
			all := section(t, s, "values").Table.Rows[0]
			if all[1] != 6 || all[2] != 3 || math.Abs(all[3].(float64)-65.0/3) > 1e-12 {
				t.Errorf("%v", all)
			}
			if notes := section(t, s, "unique").Notes; !strings.Contains(notes[1], ": 3;") {
				t.Errorf("%v", notes)
			}
		})
	}
}

func TestSampleRefuses(t *testing.T) {
	for _, c := range []struct{ text, key, value, want string }{
		{"", "", "", "has no elements"},
		{"a,b\n1,2\n", "c", "", `there is no column "c": they are ["a" "b"]`},
		{"a,b\n1,2\n", "a", "3", `there is no column "3"`},
		{"a,b\n1,2\n", "", "b", "--key COLUMN"},
		{"a,b\n1,x\n", "a", "b", "has no elements (lines whose value is no number: 1)"},
		{"", "a", "", "first line should name the columns"},
	} {
		if _, err := Sample(t.Context(), SampleConfig{Path: "-", In: strings.NewReader(c.text), Key: c.key, Value: c.value}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := Sample(t.Context(), SampleConfig{Limit: -1}); err == nil {
		t.Error("a limit of -1 is taken")
	}
}

// On the generated streams a sample of positions misjudges both questions, in the direction and
// by the amount computed; one of keys does not. The same seed gives the same.
func TestSampleGenerated(t *testing.T) {
	s, err := Sample(t.Context(), SampleConfig{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"unique", "values"} {
		rows := section(t, s, id).Table.Rows
		for i := 1; i < len(rows); i += 2 {
			byPosition, byKey := rows[i], rows[i+1]
			if off := math.Abs(byPosition[6].(float64)); off < 15 {
				t.Errorf("%s: a sample of positions errs by %v %% only", id, off)
			}
			if low, high, truth := byKey[4].(float64), byKey[5].(float64), rows[0][3].(float64); truth < low-0.02*truth || truth > high+0.02*truth {
				t.Errorf("%s: %v is far from %v to %v", id, truth, low, high)
			}
			if id == "unique" && math.Abs(byPosition[3].(float64)-byPosition[7].(float64)) > 2 {
				t.Errorf("by position %v %% seem unique, %v %% are expected", byPosition[3], byPosition[7])
			}
		}
	}
	limit := section(t, s, "limit").Table.Rows
	for i, row := range limit {
		if row[1] != acceptedFirst-1-i || row[3].(int) >= row[2].(int) {
			t.Errorf("%v", row)
		}
	}
	if len(limit) < 3 {
		t.Errorf("only %d buckets are given up", len(limit))
	}
	again, err := Sample(t.Context(), SampleConfig{Seed: 1})
	if err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("the same seed gives other figures: %v", err)
	}
}
