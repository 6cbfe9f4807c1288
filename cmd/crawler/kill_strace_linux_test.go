package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crawler/cmd/crawler/internal/shell"
)

// A crawl with an archive is killed at a file operation while it is resumed, once for each of the
// kinds that change the directory. Whatever is left is sound, or would be cut off; the
// resume after that ends the crawl, and nobody complains of anything then.
func TestKilledAtFileOperations(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: nothing is killed at file operations")
	}
	if testing.Short() {
		t.Skip("the processes run under strace, which starts no goroutine")
	}
	t.Parallel()
	_, whole := keptArchive(t, 30)
	killed := 0
	for _, op := range []string{"truncate 1", "truncate 2", "unlinkat 2", "renameat 3"} {
		dir := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		call, n, _ := strings.Cut(op, " ")
		cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", "inject="+call+":signal=KILL:when="+n,
			"crawler", "resume", dir, "-q", "--max-pages", "0")
		if out, err := cmd.CombinedOutput(); strings.Contains(string(out), "strace: ") {
			t.Skipf("strace does not work here: %s", out)
		} else if err != nil && cmd.ProcessState.ExitCode() == -1 || cmd.ProcessState.ExitCode() == 137 {
			killed++
		} else if err != nil {
			t.Fatalf("%s: %v: %s", op, err, out)
		}
		if code, out := exit("check", dir); code != shell.ExitOK {
			t.Errorf("killed at %s, then check exits %d: %s", op, code, out)
		}
		if code, out := exit("resume", dir, "-q", "--max-pages", "0"); code != shell.ExitOK && !strings.Contains(out, "is complete") {
			t.Errorf("killed at %s, then resume exits %d: %s", op, code, out)
		}
		if code, out := exit("resume", dir, "-q"); code != shell.ExitUsage || !strings.Contains(out, "is complete") {
			t.Errorf("killed at %s, then resumed twice: exit %d: %s", op, code, out)
		}
		if code, out := exit("check", dir); code != shell.ExitOK || strings.Contains(out, "killed") {
			t.Errorf("killed at %s, then resumed: check exits %d: %s", op, code, out)
		}
		names, err := filepath.Glob(filepath.Join(dir, "archive", "*.tmp*"))
		if err != nil || len(names) > 0 {
			t.Errorf("killed at %s: %v are left, %v", op, names, err)
		}
		if pages, err := os.ReadFile(filepath.Join(dir, "pages.jsonl")); err != nil || strings.Count(string(pages), "\n") != 41 {
			t.Errorf("killed at %s: %d pages, %v", op, strings.Count(string(pages), "\n"), err)
		}
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
}
