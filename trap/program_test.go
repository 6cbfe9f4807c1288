package trap_test

import (
	"fmt"
	"testing"

	"crawler/trap"
)

// That the path of a program is known says nothing of its pages before one was a copy.
func TestPagesOfAProgramDoNotWaitForItsPath(t *testing.T) {
	g := trap.New(trap.Config{})
	topic := func(i int) string { return fmt.Sprintf("http://a.test/viewtopic.php?f=%d&t=%d", i%7, i) }
	teach(t, g, topic(1), "http://a.test/", prose(101, 60))
	for i := range 3 {
		teach(t, g, fmt.Sprintf("http://a.test/viewtopic.php?p=%d", 90+i), "http://a.test/", prose(i, 60))
	}
	if v := judge(t, g, topic(2)); v.Rank > 1 {
		t.Errorf("the second topic: %+v", v)
	}
	for i := range 4 {
		teach(t, g, topic(2+i), "http://a.test/", prose(0, 60))
	}
	if v := judge(t, g, topic(9)); v.Rank < 4 {
		t.Errorf("after four copies: %+v", v)
	}
}

// A new pattern is as likely as others that were new, though these lead to more and more.
func TestNewPatternsDoNotWaitForMazes(t *testing.T) {
	g := trap.New(trap.Config{})
	room := func(i, k int) string { return fmt.Sprintf("http://a.test/%s/%s", dirName(i), dirName(k)) }
	for i := range 12 {
		for k := range 2 {
			teach(t, g, room(i, k), room(max(0, i-1), k), prose(2*i+k, 60), room(i, 20+k), room(i, 30+k), room(i, 40+k))
		}
	}
	if v := judge(t, g, room(13, 0)); v.Rank > 1 {
		t.Errorf("a new pattern: %+v", v)
	}
}

// dirName is a directory's name without a number.
func dirName(i int) string {
	s := ""
	for range 5 {
		s += string(rune('a' + i%26))
		i = i/26 + 3*i
	}
	return s
}

// Two programs that lead to each other without end are closed though four pages in five have a word
// that is new: what a page earns counts once for each of its lists, and not again for its own
// pattern.
func TestProgramsThatLeadToEachOther(t *testing.T) {
	week := func(path string) string {
		if path == "/" {
			return named("/day?n=1", "weeks")
		}
		n, to := 0, "/week?n=%d&view=%d"
		if _, err := fmt.Sscanf(path, "/day?n=%d", &n); err != nil {
			fmt.Sscanf(path, "/week?n=%d", &n)
			to = "/day?n=%d&%d"
		}
		text := "this week there is nothing but what there was in all of the others "
		if n%5 < 4 {
			text += fmt.Sprintf("word%d ", n)
		}
		return text + named(fmt.Sprintf(to, n+1, n%7), "next") + named(fmt.Sprintf(to, n+3, n%7), "third")
	}
	if n := len(pages(trap.New(trap.Config{}), 8000, week)); n > 5*trap.DefaultBudget {
		t.Errorf("%d pages", n)
	}
}
