package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crawler/internal/crawltest"
	"crawler/report"
)

// pageLine is a line of pages.jsonl.
func pageLine(url string, digest uint64) string {
	return fmt.Sprintf(`{"url":"%s","status":200,"depth":0,"content_type":"text/html","bytes":1,"title":"","words":1,"links":0,"fetched_at":"2026-01-01T00:00:00.000Z","millis":1,"digest":"%016x"}`+"\n", url, digest)
}

// crawlOf writes a crawl of pages.
func crawlOf(t testing.TB, lines []string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, report.PagesFile), []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// comm compares two lists by the program of that name, as crawler diff prints it.
func comm(t *testing.T, a, b []string) (lines []string) {
	t.Helper()
	path, err := exec.LookPath("comm")
	if err != nil {
		t.Skip("there is no comm")
	}
	var files []string
	for i, list := range [][]string{a, b} {
		list = slices.Compact(slices.Sorted(slices.Values(list)))
		name := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.WriteFile(name, []byte(strings.Join(append(list, ""), "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	cmd := exec.Command(path, "-3", files[0], files[1])
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	for line := range strings.Lines(output(t, cmd)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, second := strings.CutPrefix(line, "\t"); second {
			line = "+ " + rest
		} else {
			line = "- " + line
		}
		lines = append(lines, line)
	}
	slices.SortFunc(lines, func(x, y string) int { return strings.Compare(x[2:], y[2:]) })
	return lines
}

// diffed runs crawler diff and returns its lines.
func diffed(t *testing.T, args ...string) (lines []string, code int, summary string) {
	t.Helper()
	var out, errw bytes.Buffer
	code = run(append([]string{"diff"}, args...), strings.NewReader(""), &out, &errw)
	if out.Len() > 0 {
		lines = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	return lines, code, errw.String()
}

// On 200 random pairs crawler diff prints what comm does.
func TestDiffEqualsComm(t *testing.T) {
	r := rand.New(rand.NewPCG(2024, 11))
	rounds := 200
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		sizes := []int{0, 1, 7, 100, 1000}
		var urls, lines [2][]string
		add := func(u string, sides ...int) {
			for _, i := range sides {
				urls[i] = append(urls[i], u)
				lines[i] = append(lines[i], pageLine(u, r.Uint64()))
			}
		}
		for i := range sizes[r.IntN(len(sizes))] {
			add(fmt.Sprintf("https://www.example.org/%d/%x?a=%d&b[]=%d", i%13, i, r.IntN(9), i), 0, 1)
		}
		for i := range sizes[r.IntN(4)] {
			add(fmt.Sprintf("https://a.example:8443/%%C3%%A4/%d", i), 0)
		}
		for i := range sizes[r.IntN(4)] {
			add(fmt.Sprintf("http://xn--bcher-kva.example/;x=%d", i), 1)
		}
		for i := range lines {
			r.Shuffle(len(lines[i]), func(x, y int) { lines[i][x], lines[i][y] = lines[i][y], lines[i][x] })
		}
		want := comm(t, urls[0], urls[1])
		got, code, summary := diffed(t, crawlOf(t, lines[0]), crawlOf(t, lines[1]), "--method", []string{"rateless", "ranges"}[round%2])
		if !slices.Equal(got, want) || code != min(len(want), 1) {
			t.Fatalf("round %d: exit code %d, %d lines, comm has %d\n%s", round, code, len(got), len(want), summary)
		}
	}
}

// Two versions of a documentation tree, crawled from one address: crawler diff prints what comm
// does, by each method that finds all, here and over a shell. It runs where DOCUMENT_TREE_OLD
// and DOCUMENT_TREE_NEW name trees (make real-diff).
func TestRealDiff(t *testing.T) {
	roots := [2]string{os.Getenv("DOCUMENT_TREE_OLD"), os.Getenv("DOCUMENT_TREE_NEW")}
	if roots[0] == "" || roots[1] == "" {
		t.Skip("DOCUMENT_TREE_OLD and DOCUMENT_TREE_NEW name no documentation trees")
	}
	var root atomic.Value
	url := crawltest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServer(http.Dir(root.Load().(string))).ServeHTTP(w, r)
	}))
	var dirs [2]string
	var urls [2][]string
	digests := [2]map[string]string{{}, {}}
	for i := range roots {
		root.Store(roots[i])
		dirs[i] = filepath.Join(t.TempDir(), "crawl")
		startCrawler(t, "crawler", crawlArgs(url, dirs[i])...).succeed(t)
		for _, p := range crawltest.ReadPages(t, filepath.Join(dirs[i], report.PagesFile)) {
			urls[i] = append(urls[i], p.URL)
			digests[i][p.URL] = p.Digest
		}
	}
	want := comm(t, urls[0], urls[1])
	changed := slices.Clone(want)
	for u, digest := range digests[0] {
		if other, found := digests[1][u]; found && other != digest {
			changed = append(changed, "~ "+u)
		}
	}
	slices.SortFunc(changed, func(x, y string) int { return strings.Compare(x[2:], y[2:]) })
	ssh := shellForSSH(t)
	for _, args := range [][]string{{"--method", "rateless"}, {"--method", "ranges"}, {"--what", "content"}} {
		for _, at := range []string{"", "there:"} {
			want := want
			if args[1] == "content" {
				want = changed
			}
			got, code, summary := diffed(t, append([]string{dirs[0], at + dirs[1], "--ssh", ssh, "--crawler", crawlerPath(t)}, args...)...)
			if !slices.Equal(got, want) || code != 1 {
				t.Errorf("%v: exit code %d, %d lines, comm has %d", args, code, len(got), len(want))
			}
			t.Logf("%v %s\n%s", args, at, summary)
		}
	}
}

// crawlerPath is where the program is that startCrawler starts.
func crawlerPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("crawler")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// shellForSSH writes a program that does what ssh does, on this machine.
func shellForSSH(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	name := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(name, []byte("#!/bin/sh\nshift 2\nexec sh -c \"$*\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// Over ssh to this machine, with a server, keys and settings of the test's own. It runs where sshd
// is installed, or SSHD names it.
func TestDiffOverSSH(t *testing.T) {
	sshd := os.Getenv("SSHD")
	for _, name := range []string{"sshd", "/usr/sbin/sshd"} {
		if path, err := exec.LookPath(name); err == nil && sshd == "" {
			sshd = path
		}
	}
	if _, err := exec.LookPath("ssh"); err != nil || sshd == "" {
		t.Skip("ssh or sshd is not installed")
	}
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"host", "user"} {
		command(t, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", in(key))
	}
	public, err := os.ReadFile(in("user.pub"))
	if err != nil {
		t.Fatal(err)
	}
	write("authorized", string(public))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	l.Close()
	write("sshd_config", fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\nPidFile none\n", port, in("host"), in("authorized")))
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	server := crawltest.Tie(exec.Command(sshd, "-D", "-e", "-f", in("sshd_config")))
	var log bytes.Buffer
	server.Stderr = &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		crawltest.Kill(server)
		server.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			break
		}
		if time.Now().After(deadline) {
			crawltest.Kill(server)
			server.Wait()
			t.Skipf("sshd does not run here: %s", log.String())
		}
		runtime.Gosched()
	}
	a := crawlOf(t, []string{pageLine("http://a.example/both", 1), pageLine("http://a.example/mine", 2)})
	b := crawlOf(t, []string{pageLine("http://a.example/both", 1), pageLine("http://a.example/theirs", 2)})
	ssh := fmt.Sprintf("ssh -F none -p %s -i %s -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=%s", port, in("user"), in("known"))
	lines, code, summary := diffed(t, a, me.Username+"@127.0.0.1:"+b, "--ssh", ssh, "--crawler", crawlerPath(t))
	if want := []string{"- http://a.example/mine", "+ http://a.example/theirs"}; !slices.Equal(lines, want) || code != 1 {
		t.Errorf("exit code %d, %q\n%s\n%s", code, lines, summary, log.String())
	}
	if _, code, summary = diffed(t, a, "[127.0.0.1]:"+b, "--ssh", ssh+" -l no-such-user", "--crawler", crawlerPath(t)); code != 2 || !strings.Contains(summary, "denied") {
		t.Errorf("exit code %d\n%s", code, summary)
	}
}

// What a stranger says on his standard error and in errors is shown escaped, and not all of it.
func TestDiffOfAStranger(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it takes a shell")
	}
	a := crawlOf(t, []string{pageLine("http://a.example/", 1)})
	for _, script := range []string{
		`printf '\033[2J\033]0;owned\007' >&2; exit 1`,
		`printf '\033[2Jwelcome'`,
		`yes "$(printf '\033[31m')" | head -c 3000000 >&2`,
		`yes | head -c 3000000`,
		`cat /dev/zero | head -c 3000000`,
	} {
		name := filepath.Join(t.TempDir(), "ssh")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		lines, code, text := diffed(t, a, "there:x", "--ssh", name)
		if code != 2 || len(lines) > 0 || len(text) > 20_000 || strings.ContainsRune(text, 0x1b) {
			t.Errorf("%s: exit code %d, %d lines, %.300q", script, code, len(lines), text)
		}
	}
}
