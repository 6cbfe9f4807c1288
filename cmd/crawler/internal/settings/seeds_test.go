package settings

import (
	"slices"
	"strings"
	"testing"
)

// Seeds come from arguments and from a file; one that cannot be used is named with its place,
// and a password is not repeated.
func TestReadSeeds(t *testing.T) {
	good := "\ufeffhttp://B.example  # who we are\n\n# a comment\nhttp://c.example/#x\n"
	seeds, err := ReadSeeds([]string{"http://a.example", "-"}, "", strings.NewReader(good))
	if want := []string{"http://a.example/", "http://b.example/", "http://c.example/"}; err != nil || !slices.Equal(seeds, want) {
		t.Errorf("%q, %v; want %q", seeds, err, want)
	}
	for _, c := range []struct {
		args []string
		file string
		want string
	}{
		{nil, "", "no seeds on standard input"},
		{nil, "http://a.example/\nexample.com\n", "-:2: "},
		{[]string{"http://me:secret@a.example/"}, "http://b.example/\n", "argument 1: http://a.example/ with a user name"},
	} {
		_, err := ReadSeeds(c.args, "-", strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q, %q: %v, want %s", c.args, c.file, err, c.want)
		}
	}
}
