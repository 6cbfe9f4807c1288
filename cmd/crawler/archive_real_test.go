package main

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"crawler/internal/crawltest"
	"crawler/report"
)

// TestRealArchive archives a documentation tree that nginx serves plain, gzipped in chunks, over
// TLS and over HTTP/2, with the program as it is shipped. In each archive the decoded body of every
// 200 must be the file. Then other programs read the archives, as far as they are there: gzip -t;
// python-warcio, whose folder WARCIO_PY may name; and warcio.js, whose index.js WARCIO_JS names.
// It runs where DOCUMENT_TREE names a tree (make archive-check).
func TestRealArchive(t *testing.T) {
	root := os.Getenv("DOCUMENT_TREE")
	if root == "" {
		t.Skip("DOCUMENT_TREE names no documentation tree")
	}
	bin := filepath.Join(t.TempDir(), "crawler")
	command(t, "go", "build", "-o", bin, ".")
	for _, c := range []struct{ name, listen, scheme, flags string }{
		{"plain", "", "http", ""},
		{"gzip", "gzip on; gzip_min_length 1; gzip_types *;", "http", ""},
		{"chunks", "ssi on; ssi_types text/css; gzip off;", "http", ""},
		{"tls", "", "https", "--insecure"},
		{"h2", "", "https", "--insecure --http 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := startArchiveNginx(t, root, c.listen, c.scheme)
			out := filepath.Join(t.TempDir(), "crawl")
			args := append([]string{"crawl", base + "/", "-o", out, "--delay", "0", "--quiet", "--warc", "--per-host", "8", "-c", "8"}, strings.Fields(c.flags)...)
			command(t, bin, args...)
			records := crawltest.ReadArchive(t, out)
			checkFiles(t, root, base, records, pagesOf(t, out))
			checkElsewhere(t, out, len(records), c.name)
		})
	}
}

// pagesOf is how many pages of a crawl have the status 200.
func pagesOf(t *testing.T, out string) (n int) {
	for _, p := range crawltest.ReadPages(t, filepath.Join(out, report.PagesFile)) {
		if p.Status == 200 {
			n++
		}
	}
	return n
}

// checkFiles holds the decoded bodies of the archive against the files.
func checkFiles(t *testing.T, root, base string, records []crawltest.ArchiveRecord, pages int) {
	t.Helper()
	bodies, found, revisits := map[string][]byte{}, 0, 0
	for _, r := range records {
		if r.Get("WARC-Type") == "response" {
			bodies[r.Get("Warc-Target-Uri")+r.Get("WARC-Date")] = decoded(t, &r)
		}
	}
	for _, r := range records {
		if !r.IsAnswer() || r.HTTP(t).StatusCode != 200 {
			continue
		}
		body, at := bodies[r.Get("Warc-Target-Uri")+r.Get("WARC-Date")], r.Get("Warc-Target-Uri")
		if r.Get("WARC-Type") == "revisit" {
			body = bodies[r.Get("Warc-Refers-To-Target-Uri")+r.Get("WARC-Refers-To-Date")]
			revisits++
		}
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(root, filepath.FromSlash(u.Path))
		if strings.HasSuffix(u.Path, "/") {
			name = filepath.Join(name, "index.html")
		}
		want, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(body, want) || !strings.HasPrefix(at, base) {
			t.Errorf("%s: %d bytes in the archive, %d in the file: %v", at, len(body), len(want), err)
		}
		found++
	}
	if found != pages || pages == 0 {
		t.Errorf("%d pages with the status 200 in the archive, %d in pages.jsonl", found, pages)
	}
	t.Logf("%d records, %d pages as the files are, %d of them revisits", len(records), found, revisits)
}

// decoded is the body of a response without codings.
func decoded(t *testing.T, r *crawltest.ArchiveRecord) []byte {
	t.Helper()
	body := r.Entity(t)
	if r.HTTP(t).Header.Get("Content-Encoding") != "gzip" {
		return body
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err == nil {
		body, err = io.ReadAll(z)
	}
	if err != nil {
		t.Errorf("%s: %v", r.Get("Warc-Target-Uri"), err)
	}
	return body
}

var failedPayload = regexp.MustCompile(`payload digest failed`)

// checkElsewhere has other programs read the archive, as far as they are there.
func checkElsewhere(t *testing.T, out string, records int, kind string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(out, "archive", "*.warc.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	if _, err := exec.LookPath("gzip"); err != nil {
		t.Log("gzip -t: not there, left out")
	} else {
		command(t, "gzip", append([]string{"-t"}, names...)...)
		t.Log("gzip -t: sound")
	}
	py := exec.Command("python3", append([]string{"testdata/archive/check.py"}, names...)...)
	py.Env = append(os.Environ(), "PYTHONPATH="+os.Getenv("WARCIO_PY"))
	switch text, err := py.CombinedOutput(); {
	case err != nil && (bytes.Contains(text, []byte("No module named 'warcio")) || py.ProcessState == nil):
		t.Log("python-warcio: not there, left out; WARCIO_PY names its folder")
	default:
		wrong := len(failedPayload.FindAll(text, -1))
		if bytes.Contains(text, []byte("block digest failed")) || err != nil && wrong == 0 || wrong > 0 && kind != "gzip" && kind != "chunks" {
			t.Errorf("python-warcio: %v\n%s", err, text)
		}
		t.Logf("python-warcio: no wrong block digest; %d payload digests that it takes over the chunks (its issue 74)", wrong)
	}
	js := os.Getenv("WARCIO_JS")
	if js == "" {
		t.Log("warcio.js: WARCIO_JS does not name its index.js, left out")
		return
	}
	text := command(t, "node", append([]string{"testdata/archive/check.mjs", js}, names...)...)
	if want := fmt.Sprintf("%d records, 0 wrong block digests\n", records); text != want {
		t.Errorf("warcio.js: %q, want %q", text, want)
	}
	t.Logf("warcio.js: %s", text)
}

// startArchiveNginx serves a tree; with the scheme https over TLS, and HTTP/2 for who asks for it.
func startArchiveNginx(t *testing.T, root, settings, scheme string) (base string) {
	t.Helper()
	path, err := exec.LookPath("nginx")
	if err != nil {
		path = "/usr/sbin/nginx"
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	dir, listen := t.TempDir(), addr
	if scheme == "https" {
		writeCertificate(t, dir)
		listen = fmt.Sprintf("%s ssl http2; ssl_certificate %[2]s/cert.pem; ssl_certificate_key %[2]s/key.pem", addr, dir)
	}
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events { worker_connections 256; }
http { include /etc/nginx/mime.types; default_type application/octet-stream; %[4]s
 access_log off; client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2;
 fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5; keepalive_requests 1000000;
 server { listen %[2]s; root %[3]s; index index.html; absolute_redirect off; } }`, dir, listen, root, settings)
	name := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(name, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := crawltest.Tie(exec.Command(path, "-c", name, "-p", dir, "-e", filepath.Join(dir, "error.log")))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("nginx: %v (install it: .ci/packages nginx-light)", err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	waitFor(t, addr)
	return scheme + "://" + addr
}

// writeCertificate makes a certificate that its server has signed itself.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
