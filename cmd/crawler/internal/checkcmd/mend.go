package checkcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"crawler/cmd/crawler/internal/shell"
	"crawler/graph"
	"crawler/graph/survey"
	"crawler/internal/sums"
	"crawler/report"
)

// mendAll does what each finding says.
func (e *exam) mendAll() error {
	e.mended, e.parts = sums.Table{}, sums.Table{}
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.mend == nil {
			continue
		}
		done, err := f.mend()
		if err != nil {
			return &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("repairing %s: %w", e.path(f.File), shell.Plain(err)),
				Hint: "free space on the disk, and make the directory writable for you; what was done before stays done"}
		}
		f.Done = done
	}
	if err := e.rebuildLast(); err != nil {
		return err
	}
	if len(e.mended) == 0 {
		return nil
	}
	err := e.filtersAgain()
	if err == nil {
		err = e.accept()
	}
	if err == nil && e.cutPages {
		err = e.nearAgain()
	}
	if err != nil {
		return &shell.ExitError{Code: shell.ExitDisk, Err: shell.Plain(err), Hint: "free space on the disk, and repair again"}
	}
	return nil
}

// rebuildLast makes the state again if must be done: the records are repaired by now.
func (e *exam) rebuildLast() error {
	i := slices.IndexFunc(e.Findings, func(f finding) bool { return f.rebuild })
	if i < 0 {
		return nil
	}
	if err := e.rebuildState(&e.Findings[i]); err != nil {
		return &shell.ExitError{Code: shell.ExitDisk, Err: fmt.Errorf("making the state of %s again: %w", e.Dir, shell.Plain(err)),
			Hint: "free space on the disk, and make the directory writable for you, and repair again; what was done before stays done"}
	}
	return nil
}

// nearAgain makes near.jsonl again, if there is one, of the pages that are left.
func (e *exam) nearAgain() error {
	if e.rep == nil || e.rep.Near == nil {
		return nil
	}
	if err := e.rep.FindNear(e.Dir, 0); err != nil {
		return err
	}
	for i := range e.Findings {
		if f := &e.Findings[i]; f.File == report.PagesFile {
			f.Done += "; " + report.NearFile + " is made again of the others"
		}
	}
	return e.rep.Save(e.Dir)
}

// accept has state and report take the repaired files for what was written.
func (e *exam) accept() error {
	if e.state != nil && len(e.parts) > 0 {
		if err := e.state.Accept(e.parts); err != nil {
			return err
		}
	}
	if e.rep == nil || e.rep.Files == nil {
		return nil
	}
	for name, f := range e.mended {
		e.rep.Files[name] = f
	}
	return e.rep.Save(e.Dir)
}

// aside gives a file another name, and says which.
func (e *exam) aside(file string) (string, error) {
	for n := 1; ; n++ {
		to := file + ".damaged"
		if n > 1 {
			to = fmt.Sprintf("%s.damaged-%d", file, n)
		}
		if _, err := os.Lstat(e.path(to)); errors.Is(err, fs.ErrNotExist) {
			return "the damaged file is " + to + " now", os.Rename(e.path(file), e.path(to))
		}
	}
}

// replace writes a file anew, and keeps the damaged one.
func (e *exam) replace(file string, write func(w io.Writer) error) (kept string, err error) {
	folder, mode := filepath.Dir(e.path(file)), fs.FileMode(0o644)
	if info, err := os.Stat(e.path(file)); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(folder, filepath.Base(file)+".tmp*")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name()) // unless it has its name
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(write(w), w.Flush(), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	kept, err = e.aside(file)
	if errors.Is(err, fs.ErrNotExist) {
		kept, err = "", nil
	}
	if err == nil {
		err = os.Rename(f.Name(), e.path(file))
	}
	if err != nil {
		return "", err
	}
	return kept, syncFolder(folder)
}

// mendLines keeps the lines of the committed part of a file: all of them, or those that are records
// if it is not sound.
func (e *exam) mendLines(file string, was sums.File, unsound bool) (string, error) {
	var l report.Lines // committed, and behind that
	kept, err := e.replace(file, func(w io.Writer) (err error) {
		if unsound {
			l, err = e.keepSound(file, was, w)
			return err
		}
		from, err := os.Open(e.path(file))
		if err != nil {
			return err
		}
		_, err = io.CopyN(w, from, was.Bytes)
		return errors.Join(err, from.Close())
	})
	if err != nil {
		return "", err
	}
	now, err := sums.Of(e.path(file))
	if err != nil {
		return "", err
	}
	e.mended[file] = now
	e.cutPages = e.cutPages || unsound && file == report.PagesFile
	done := fmt.Sprintf("%d of %d bytes are kept", now.Bytes, was.Bytes)
	if unsound {
		done = fmt.Sprintf("%s kept, %d of %d bytes", counted(l.Sound, "line is", "lines are"), now.Bytes, was.Bytes)
		if l.Bad > 0 {
			done += fmt.Sprintf("; %s cut", counted(l.Bad, "line that cannot be read is", "lines that cannot be read are"))
		}
	}
	if kept != "" {
		done += "; " + kept
	}
	return done, nil
}

// keepSound writes the lines of a file that are records. What was written behind the last commit is
// no part of it now, either.
func (e *exam) keepSound(file string, was sums.File, w io.Writer) (report.Lines, error) {
	committed := was.Bytes
	if e.state != nil {
		committed = min(committed, e.state.Lengths()[file])
	}
	l, err := report.ReadLines(e.Dir, file, 0, committed, w)
	e.parts[file] = l.Kept
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil || l.Torn > 0 || committed == was.Bytes {
		return l, err
	}
	more, err := report.ReadLines(e.Dir, file, committed, was.Bytes, w)
	l.Sound, l.Bad = l.Sound+more.Sound, l.Bad+more.Bad
	return l, err
}

// counted is a number with its noun and verb.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// bit is one of a file.
type bit struct {
	at   int64
	mask byte
}

func (b bit) number() int { return bits.TrailingZeros8(b.mask) }

// flipped returns the bit that makes the file what it was, nil if no single one does.
func (e *exam) flipped(file string, was sums.File) *bit {
	f, err := os.Open(e.path(file))
	if err != nil {
		return nil
	}
	defer f.Close()
	got, n, err := sums.Read(f, was.Bytes)
	if err != nil || n != was.Bytes {
		return nil
	}
	at, mask, ok := sums.Flipped(n, got, was.Sum)
	if !ok {
		return nil
	}
	return &bit{at, mask}
}

// mendBit flips a bit back.
func (e *exam) mendBit(file string, was sums.File, b bit) (string, error) {
	kept, err := e.replace(file, func(w io.Writer) error {
		from, err := os.Open(e.path(file))
		if err != nil {
			return err
		}
		defer from.Close()
		if _, err := io.CopyN(w, from, b.at); err != nil {
			return err
		}
		var one [1]byte
		if _, err := io.ReadFull(from, one[:]); err != nil {
			return err
		}
		if _, err := w.Write([]byte{one[0] ^ b.mask}); err != nil {
			return err
		}
		_, err = io.CopyN(w, from, was.Bytes-b.at-1)
		return err
	})
	if err != nil {
		return "", err
	}
	now, err := sums.Of(e.path(file))
	if err == nil && now.Sum != was.Sum {
		err = errors.New("the bit was not what is wrong")
	}
	e.mended[file] = now
	return "the bit is as it was: nothing is lost; " + kept, err
}

// mendSettings puts back what the state has of crawl.json.
func (e *exam) mendSettings() (string, error) {
	was, _, err := e.state.KeptMeta()
	if err != nil {
		return "", err
	}
	kept, err := e.aside("crawl.json")
	if errors.Is(err, fs.ErrNotExist) {
		kept, err = "it was missing", nil
	}
	if err != nil {
		return "", err
	}
	return "the crawl's own settings are back; " + kept, e.state.SetMeta(was)
}

// mendNear looks for near-duplicates again.
func (e *exam) mendNear() (string, error) {
	kept, err := e.aside(report.NearFile)
	if errors.Is(err, fs.ErrNotExist) {
		kept, err = "it was missing", nil
	}
	if err == nil {
		err = e.rep.FindNear(e.Dir, 0)
	}
	if err == nil {
		err = e.rep.Save(e.Dir)
	}
	return "made again; " + kept, err
}

// mendGraph makes the graph again, as it was made if that is known.
func (e *exam) mendGraph(ctx context.Context, m *survey.Manifest) (string, error) {
	if err := e.acceptSoFar(); err != nil {
		return "", err
	}
	c := survey.Config{Dir: e.Dir}
	if m != nil {
		kinds, err := survey.ParseKinds(m.Include)
		if err != nil {
			return "", err
		}
		c.Include, c.Params = kinds, m.Params()
	}
	if err := os.RemoveAll(filepath.Join(e.Dir, survey.Folder)); err != nil {
		return "", err
	}
	made, err := survey.Build(ctx, c)
	switch {
	case errors.Is(err, survey.ErrNoLinks), errors.Is(err, report.ErrLinks), errors.Is(err, graph.ErrDamaged):
		return "it is removed, and cannot be made again: " + shell.Plain(err).Error(), nil
	case err != nil:
		return "", err
	}
	return fmt.Sprintf("made again: %d URLs, %d links", made.Nodes, made.Links), nil
}

// acceptSoFar is accept before something is made of the repaired files.
func (e *exam) acceptSoFar() error {
	if len(e.mended) == 0 {
		return nil
	}
	return e.accept()
}
