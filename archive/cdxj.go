package archive

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
)

// cdxjLine is a line of a CDXJ index, with its end: the URL as indexes sort it, the time with 14
// digits, and where the answer is. It is empty for what no replay asks for.
func cdxjLine(e *Entry, digest, file string, length int64) string {
	at := timestamp(e.Date)
	if at == "" || !strings.HasPrefix(e.URL, "http://") && !strings.HasPrefix(e.URL, "https://") {
		return ""
	}
	mime := e.Media
	if e.Type == "revisit" {
		mime = "warc/revisit"
	}
	var b bytes.Buffer
	b.WriteString(surt(e.URL) + " " + at + " ")
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	j.Encode(struct { // which never fails for texts and numbers
		URL      string `json:"url"`
		Mime     string `json:"mime"`
		Status   int    `json:"status,string"`
		Digest   string `json:"digest,omitempty"`
		Length   int64  `json:"length,string"`
		Offset   int64  `json:"offset,string"`
		Filename string `json:"filename"`
	}{e.URL, mime, e.Status, digest, length, e.Offset, file})
	return b.String()
}

// timestamp is a WARC-Date with 14 digits, "" if it is none.
func timestamp(date string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, date)
	if len(digits) < 14 || len(date) < len("2026-01-02T03:04:05Z") {
		return ""
	}
	return digits[:14]
}

var leadingWWW = regexp.MustCompile(`^www\d*\.`)

// surt is the key by which indexes sort a URL: "com,example)/path?query", in lower case, the
// parameters in order. It has no space and no control characters.
func surt(address string) string {
	u, err := url.Parse(strings.ToLower(address))
	if err != nil || u.Hostname() == "" {
		return url.PathEscape(address)
	}
	labels := strings.Split(leadingWWW.ReplaceAllString(u.Hostname(), ""), ".")
	slices.Reverse(labels)
	key := strings.Join(labels, ",")
	if port := u.Port(); port != "" {
		key += ":" + port
	}
	key += ")" + u.EscapedPath()
	if u.RawQuery != "" {
		parameters := strings.Split(u.RawQuery, "&")
		slices.Sort(parameters)
		key += "?" + strings.Join(parameters, "&")
	}
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '+'
		}
		return r
	}, key)
}

// lineSorter sorts lines in bounded memory: sorted runs in a temporary file, which are merged.
type lineSorter struct {
	file  *os.File // of the runs
	runs  []int64  // where each begins
	lines []string
	bytes int
	size  int64
}

const (
	runBytes  = 8 << 20
	runBuffer = 16 << 10
)

// newLineSorter makes its file in dir; close removes it.
func newLineSorter(dir string) (*lineSorter, error) {
	f, err := os.CreateTemp(dir, "index.tmp*")
	return &lineSorter{file: f}, err
}

func (s *lineSorter) close() error {
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}

// add adds a line, which has its end.
func (s *lineSorter) add(line string) error {
	s.lines = append(s.lines, line)
	if s.bytes += len(line) + 32; s.bytes < runBytes {
		return nil
	}
	return s.flush()
}

// flush writes the lines in memory as a run.
func (s *lineSorter) flush() error {
	if len(s.lines) == 0 {
		return nil
	}
	slices.Sort(s.lines)
	s.runs = append(s.runs, s.size)
	w := bufio.NewWriterSize(s.file, 256<<10)
	for _, line := range s.lines {
		s.size += int64(len(line))
		w.WriteString(line)
	}
	clear(s.lines)
	s.lines, s.bytes = s.lines[:0], 0
	return w.Flush()
}

// write writes all lines in order.
func (s *lineSorter) write(w io.Writer) error {
	if err := s.flush(); err != nil {
		return err
	}
	var m merging
	for i, from := range s.runs {
		to := s.size
		if i+1 < len(s.runs) {
			to = s.runs[i+1]
		}
		r := &run{in: bufio.NewReaderSize(io.NewSectionReader(s.file, from, to-from), runBuffer)}
		if err := r.next(); err != nil {
			return err
		}
		m = append(m, r)
	}
	heap.Init(&m)
	for len(m) > 0 {
		if _, err := io.WriteString(w, m[0].line); err != nil {
			return err
		}
		switch err := m[0].next(); {
		case errors.Is(err, io.EOF):
			heap.Pop(&m)
		case err != nil:
			return err
		default:
			heap.Fix(&m, 0)
		}
	}
	return nil
}

// run is a sorted part of the lines.
type run struct {
	in   *bufio.Reader
	line string
}

func (r *run) next() (err error) {
	r.line, err = r.in.ReadString('\n')
	return err
}

// merging is the runs by their next lines.
type merging []*run

func (m merging) Len() int           { return len(m) }
func (m merging) Less(i, j int) bool { return m[i].line < m[j].line }
func (m merging) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merging) Push(x any)        { *m = append(*m, x.(*run)) }
func (m *merging) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}
