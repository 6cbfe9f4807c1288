package crawlcmd

import (
	"fmt"
	"slices"
	"strings"

	"crawler/cmd/crawler/internal/crawldir"
	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/store"
)

// edited says what somebody has changed in crawl.json, empty if it is as it was written. What may
// not change in mid-crawl is refused: the records before and after would be of two crawls.
func edited(dir *store.Dir) (changes string, err error) {
	now := dir.Meta()
	if !now.Edited {
		return "", nil
	}
	name := dir.Path()
	was, kept, err := dir.KeptMeta()
	if err != nil {
		return "", crawldir.Refuse(name, err)
	}
	if !kept {
		return "crawl.json was edited by hand", nil
	}
	var told, refused []string
	if !slices.Equal(now.Seeds, was.Seeds) {
		refused = append(refused, "the seeds")
	}
	for _, flag := range settings.Changes(was.Flags, now.Flags) {
		flag = strings.TrimPrefix(flag, "--")
		told = append(told, fmt.Sprintf("--%s was %s and is %s", flag, value(was.Flags, flag), value(now.Flags, flag)))
		if !settings.Resumable(flag) {
			refused = append(refused, "--"+flag)
		}
	}
	changes = "crawl.json was edited by hand"
	if len(told) > 0 {
		changes += ": " + strings.Join(told, ", ")
	}
	if len(refused) > 0 {
		return "", byHand(name, fmt.Errorf("%s; %s cannot change in mid-crawl", changes, strings.Join(refused, ", ")))
	}
	return changes, nil
}

// byHand is the error of settings that somebody has edited and the crawl cannot take.
func byHand(name string, err error) error {
	return &shell.ExitError{Code: shell.ExitUsage, Err: err,
		Hint: crawldir.CheckCommand(name) + " --repair puts back what the crawl had; or begin a new crawl"}
}

// value is a setting as crawl.json has it.
func value(flags map[string][]string, flag string) string {
	if v, ok := flags[flag]; ok {
		return strings.Join(v, ",")
	}
	return "not set"
}

// unreadable is the error of settings that cannot be read back.
func unreadable(dir *store.Dir, err error) error {
	if dir.Meta().Edited {
		return byHand(dir.Path(), fmt.Errorf("crawl.json was edited by hand: %w", err))
	}
	return crawldir.Damaged(dir.Path(), fmt.Errorf("crawl.json: %w", err))
}
