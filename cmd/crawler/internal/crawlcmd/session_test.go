package crawlcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/frontier"
	"crawler/internal/crawltest"
	"crawler/store"
)

// configured is what a command line makes of the options and of the engine's configuration.
func configured(t *testing.T, seed string, args ...string) (*options, crawl.Config) {
	t.Helper()
	o := &options{}
	f := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	o.flags(f)
	if err := f.Parse(args); err != nil {
		t.Fatal(err)
	}
	cfg, err := o.Engine([]string{seed})
	if err != nil {
		t.Fatal(err)
	}
	return o, cfg
}

// program runs a command line of the verbs that crawl in this process.
func program(args []string, out, errw io.Writer) (code int) {
	s := shell.Streams{In: strings.NewReader(""), Out: out, Err: errw}
	root := &cobra.Command{Use: "crawler", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(NewCrawl(s), NewResume(s))
	return shell.Execute(root, args, errw)
}

func TestContactIsAskedForAwayFromHome(t *testing.T) {
	for seeds, want := range map[string]bool{
		"http://localhost:8080/ http://127.0.0.1/ http://[::1]/": true,
		"http://localhost/ https://example.com/":                 false,
		"http://10.0.0.1/":                                       false,
	} {
		if got := local(strings.Fields(seeds)); got != want {
			t.Errorf("%s: local %v, want %v", seeds, got, want)
		}
	}
}

func TestURLsWereLeft(t *testing.T) {
	for n, want := range map[int]string{0: "0 URLs were left", 1: "1 URL was left", 1234: "1,234 URLs were left"} {
		err := (&options{}).verdict(crawl.Result{EndedBy: crawl.ByInterrupt, Queued: n}, nil, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// A configuration that only the engine refuses leaves nothing behind, and takes nothing
// that was there before.
func TestRefusedCrawlLeavesNothing(t *testing.T) {
	for _, durable := range []string{"true", "false"} {
		root := t.TempDir()
		kept := filepath.Join(root, "kept", "mine")
		if err := os.MkdirAll(kept, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, out := range []string{filepath.Join(root, "new", "out"), filepath.Dir(kept)} {
			o, cfg := configured(t, "http://a.example/", "-o", out, "--durable="+durable, "-q")
			cfg.Workers = -1
			err := o.run(t.Context(), shell.Streams{In: strings.NewReader(""), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}, cfg)
			var e *shell.ExitError
			if !errors.As(err, &e) || e.Code != shell.ExitUsage {
				t.Fatalf("%v", err)
			}
		}
		if names := list(t, root); strings.Join(names, " ") != "kept" {
			t.Errorf("durable %s: left %q", durable, names)
		}
		if names := list(t, filepath.Dir(kept)); strings.Join(names, " ") != "mine" {
			t.Errorf("durable %s: left %q", durable, names)
		}
	}
}

// A crawl that another process has begun meanwhile is not removed.
func TestDiscardLeavesWhatIsNotItsOwn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	before := lookAt(out)
	dir, err := store.Create(store.Disk(), out, store.Meta{Created: time.Unix(1, 0)}, true)
	if err != nil {
		t.Fatal(err)
	}
	before.restore(time.Unix(1, 0)) // it is locked
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	before.restore(time.Unix(2, 0)) // it is another's
	if names := list(t, out); !slices.Contains(names, "crawl.json") || !slices.Contains(names, "state") {
		t.Errorf("only %q are left", names)
	}
	before.restore(time.Unix(1, 0))
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", out, err)
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// crawlWith runs a crawl in this process with a dialer of the test's own, so that no
// name is ever looked up outside.
func crawlWith(t *testing.T, dial func(ctx context.Context, network, addr string) (net.Conn, error), args ...string) (code int, stderr string) {
	t.Helper()
	o, cfg := configured(t, "http://a.example/", append(args, "-o", filepath.Join(t.TempDir(), "out"), "--delay", "0", "--patience", "0")...)
	cfg.Fetch.DialContext = dial
	var out, errw bytes.Buffer
	err := o.run(t.Context(), shell.Streams{In: strings.NewReader(""), Out: &out, Err: &errw}, cfg)
	var e *shell.ExitError
	if errors.As(err, &e) {
		return e.Code, errw.String() + e.Error() + "\n" + e.Hint
	}
	return shell.ExitOK, errw.String()
}

func TestHostThatDoesNotResolve(t *testing.T) {
	code, stderr := crawlWith(t, func(_ context.Context, network, addr string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "a.example", IsNotFound: true}}
	})
	if code != shell.ExitNothing || !strings.Contains(stderr, "nothing could be fetched") ||
		!strings.Contains(stderr, "http://a.example/: no-host, ") || !strings.Contains(stderr, "no such host") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr, "no contact in the user agent") {
		t.Errorf("no warning about the contact:\n%s", stderr)
	}
}

func TestNoPermissionForTheOutput(t *testing.T) {
	err := refuseOut("/srv/crawl", &fs.PathError{Op: "mkdir", Path: "/srv/crawl", Err: syscall.EACCES})
	var e *shell.ExitError
	if !errors.As(err, &e) || e.Code != shell.ExitDisk || !strings.Contains(e.Hint, "you may write to") || !strings.Contains(e.Error(), "/srv/crawl") {
		t.Errorf("%v", err)
	}
}

// A reader that goes away stops the crawl and is no error; what is written after that
// goes nowhere.
func TestReaderThatGoesAway(t *testing.T) {
	stopped := 0
	p := &pipe{w: failingWriter{syscall.EPIPE}, stop: func() { stopped++ }}
	for range 3 {
		if n, err := p.Write([]byte("line\n")); n != 5 || err != nil {
			t.Errorf("wrote %d, %v", n, err)
		}
	}
	if stopped != 1 {
		t.Errorf("stopped %d times", stopped)
	}
	full := &pipe{w: failingWriter{syscall.ENOSPC}, stop: func() { t.Error("stopped by a full disk") }}
	if _, err := full.Write([]byte("line\n")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

// Nothing of a host's name leaves the directory, hides it or means anything to a shell.
func TestDirectoryNameOfAHost(t *testing.T) {
	for host, want := range map[string]string{
		"example.com:8080":         "example.com_8080",
		"[::1]:80":                 "___1__80",
		"../../etc":                ".._.._etc",
		"a\x1b[2J\u202e$(x) `y`\n": "a__2____________y__",
		strings.Repeat("a", 300):   strings.Repeat("a", 57) + "...",
	} {
		got := fileName(host)
		if strings.ContainsAny(got, "/\\:$` \n") || len(got) > 60 {
			t.Errorf("%q: %q", host, got)
		}
		if !strings.Contains(host, "\x1b") && got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

// The live block is drawn by our own escapes and holds no other; nor does a log line
// above it.
func TestHostileHostInTheProgressBlock(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, memory: func() uint64 { return 100 << 20 }, live: true, size: func() (int, int) { return 80, 24 }}
	fmt.Fprintf(s, "page %s\n", crawltest.Poison)
	s.show(crawl.Progress{Busiest: []frontier.HostLoad{{Host: crawltest.Poison[:20]}}})
	crawltest.CheckHarmless(t, "screen", out.Bytes())
}
