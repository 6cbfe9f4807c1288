package checkcmd

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"crawler/cmd/crawler/internal/shell"
	"crawler/graph"
	"crawler/graph/survey"
	"crawler/internal/sums"
	"crawler/report"
	"crawler/report/shards"
	"crawler/store"
)

// checkShards checks each shard, and then what was made of all of them. A shard that cannot be
// looked at is told, and the others are checked all the same.
func checkShards(parent context.Context, s shell.Streams, args []string, set shards.Set, r repairs, asJSON bool) error {
	ctx, release := interruptible(parent)
	defer release()
	var all []*outcome
	var failed error
	sound, needsLoss := true, false
	for _, dir := range set.Dirs() {
		o, err := lookTwice(ctx, dir, r)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed = shell.FirstError(failed, err)
			text := strings.TrimPrefix(shell.Plain(err).Error(), dir+" ")
			o = &outcome{Dir: dir, Findings: []finding{{File: ".", What: text, Costs: "nothing of this shard was looked at"}}}
		}
		all, sound, needsLoss = append(all, o), sound && o.Sound, needsLoss || o.needsLoss
	}
	if set.Home != "" {
		o, err := ofAll(set.Home)
		if err != nil {
			return err
		}
		all, sound = append(all, o), sound && o.Sound
	}
	if err := printAll(s, all, asJSON); err != nil {
		return err
	}
	var e *shell.ExitError
	switch {
	case sound:
		return nil
	case errors.As(failed, &e) && e.Code != shell.ExitFailed:
		return &shell.ExitError{Code: shell.ExitFailed, Err: e.Err, Hint: e.Hint}
	case failed != nil:
		return failed
	}
	return unsound(strings.Join(args, " "), r.wanted, needsLoss)
}

// ofAll looks at what a cluster's directory has beside its shards: the report and the graph of all.
func ofAll(home string) (*outcome, error) {
	o := &outcome{Dir: home, Sound: true, Files: 1, Findings: []finding{}} // cluster.json was read
	found := func(file, what, again string) {
		o.Sound = false
		o.Findings = append(o.Findings, finding{File: file, What: what, Costs: "nothing: " + again + " makes it again from the shards"})
	}
	again := "crawler cluster report " + shell.Quoted(home) + " -o " + shell.Quoted(home)
	rep, err := report.Load(home)
	switch {
	case errors.Is(err, store.ErrDamaged):
		found(report.JSONFile, strings.TrimPrefix(err.Error(), filepath.Join(home, report.JSONFile)+" "), again)
	case err == nil:
		o.Files++
		damages, err := report.Compare(home, ownFiles(rep), func(f sums.File, name string) (sums.Found, error) { return f.Check(name, true) })
		if err != nil {
			return nil, err
		}
		for _, d := range damages {
			found(d.File, strings.TrimPrefix(d.Text, filepath.Join(home, d.File)+" "), again)
		}
	case !errors.Is(err, report.ErrNoReport) && !errors.Is(err, report.ErrUnfinished):
		return nil, err
	}
	m, err := survey.ReadManifest(home)
	if errors.Is(err, survey.ErrMissing) {
		return o, nil
	}
	if err == nil {
		o.Files, o.Bytes = o.Files+1+len(m.Files), o.Bytes+m.Bytes
		err = m.Damaged(home, true)
	}
	if errors.Is(err, graph.ErrDamaged) {
		found(survey.Folder, shell.Plain(err).Error(), "crawler graph build "+shell.Quoted(home))
		err = nil
	}
	return o, err
}

// ownFiles are the files that a report names, without those of the shards, which were checked.
func ownFiles(rep *report.Report) sums.Table {
	own := sums.Table{}
	for name, f := range rep.Files {
		if !strings.Contains(name, "/") {
			own[name] = f
		}
	}
	return own
}

func printAll(s shell.Streams, all []*outcome, asJSON bool) error {
	if asJSON {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return &shell.ExitError{Code: shell.ExitFailed, Err: err}
		}
		return shell.Print(s.Out, string(text)+"\n")
	}
	for _, o := range all {
		if err := o.print(s, false); err != nil {
			return err
		}
	}
	return nil
}
