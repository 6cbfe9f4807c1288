package main

import (
	"bytes"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
)

// A verb that is made alone prints what it prints in the tree of all commands.
func TestVerbAloneIsTheSame(t *testing.T) {
	whole := newRoot(shell.Streams{}, nil)
	for _, c := range whole.Commands() {
		if name := c.Name(); verbs[name] == nil && name != "help" && name != "completion" {
			t.Errorf("%s is not among the verbs", name)
		}
	}
	asked := 0
	for name := range verbs {
		c, _, err := whole.Find([]string{name})
		if err != nil || c.Name() != name || len(c.Aliases) > 0 {
			t.Fatalf("%s: found %s with aliases %q, %v", name, c.Name(), c.Aliases, err)
		}
		lines := [][]string{{name, "--help"}, {name, "--no-such-flag"}, {name, "-0"}}
		for _, sub := range c.Commands() {
			lines = append(lines, []string{name, sub.Name(), "--help"}, []string{name, sub.Name(), "--no-such-flag"})
		}
		for _, args := range lines {
			asked++
			aloneCode, alone := printedBy(args, args)
			wholeCode, whole := printedBy(nil, args)
			if alone == "" || alone != whole || aloneCode != wholeCode {
				t.Errorf("crawler %s, alone: exit %d\n%s\nin the tree: exit %d\n%s", strings.Join(args, " "), aloneCode, alone, wholeCode, whole)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d command lines", asked)
	}
}

// printedBy runs a command line on the tree that is made for another.
func printedBy(tree, args []string) (code int, printed string) {
	var out, errs bytes.Buffer
	code = shell.Execute(newRoot(shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, tree), args, &errs)
	return code, out.String() + errs.String()
}
