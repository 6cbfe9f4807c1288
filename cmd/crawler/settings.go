package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"
)

// notSettings are flags that make no sense in a configuration file or the
// environment.
var notSettings = map[string]bool{"config": true, "help": true, "dry-run": true}

// resolveSettings fills the flags that the command line left alone: from the
// environment (CRAWLER_MAX_PAGES=10) and, below that, from the configuration file.
func resolveSettings(f *pflag.FlagSet, environ []string) error {
	given := map[string]bool{}
	f.Visit(func(fl *pflag.Flag) { given[fl.Name] = true })
	if err := fromEnvironment(f, environ, given, func(name string) bool { return name != "help" }); err != nil {
		return err
	}
	name := f.Lookup("config").Value.String()
	if name == "" {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return usage("check the path after --config", "configuration: %w", err)
	}
	return fromFile(f, name, data, given)
}

const envPrefix = "CRAWLER_"

// fromEnvironment sets the flags that were not given and that the command takes from
// the environment, and notes them in given.
func fromEnvironment(f *pflag.FlagSet, environ []string, given map[string]bool, takes func(flag string) bool) error {
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		key, ours := strings.CutPrefix(k, envPrefix)
		if !ours {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(key), "_", "-")
		fl := f.Lookup(name)
		if fl == nil {
			// Kubernetes sets CRAWLER_SERVICE_HOST and the like for a service of this
			// name, so only what looks like a slip of the hand is an error.
			if slip := nearest(f, name, envName); slip != "" {
				return usage("correct or unset it; crawler crawl --help lists the settings", "environment: %s is no setting%s", k, slip)
			}
			continue
		}
		if given[name] || !takes(name) {
			continue
		}
		if err := f.Set(name, v); err != nil {
			return usage("", "environment: %s: %w", k, err)
		}
		given[name] = true
	}
	return nil
}

func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func fromFile(f *pflag.FlagSet, name string, data []byte, given map[string]bool) error {
	var doc, more map[string]yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	err := dec.Decode(&doc)
	if err == nil {
		if again := dec.Decode(&more); again == nil {
			err = errors.New("has more than one document")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return usage("the file is YAML: one \"key: value\" a line, lists as [a, b]", "configuration %s: %w", name, err)
	}
	keys := make([]string, 0, len(doc))
	for k := range doc {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { a, b := doc[keys[i]], doc[keys[j]]; return a.Line < b.Line })
	for _, k := range keys {
		node := doc[k]
		fl := f.Lookup(k)
		if fl == nil || notSettings[k] {
			return usage("keys are the names of the flags in crawler crawl --help", "configuration %s:%d: unknown key %q%s", name, node.Line, k, nearest(f, k, func(n string) string { return n }))
		}
		if given[k] {
			continue
		}
		if err := setFromYAML(f, fl, &node); err != nil {
			return usage("", "configuration %s:%d: %s: %w", name, node.Line, k, err)
		}
	}
	return nil
}

func setFromYAML(f *pflag.FlagSet, fl *pflag.Flag, node *yaml.Node) error {
	switch node.Kind {
	case yaml.ScalarNode:
		if node.Tag == "!!null" {
			return errors.New("has no value; leave the line out for the default")
		}
		return f.Set(fl.Name, node.Value)
	case yaml.SequenceNode:
		list, ok := fl.Value.(pflag.SliceValue)
		if !ok {
			return errors.New("takes one value, not a list")
		}
		var all []string
		if err := node.Decode(&all); err != nil {
			return fmt.Errorf("want a list of texts: %w", err)
		}
		fl.Changed = true
		return list.Replace(all)
	}
	return errors.New("want a value or a list")
}

// nearest suggests the known key that is fewest edits away.
func nearest(f *pflag.FlagSet, name string, show func(string) string) string {
	best, least := "", len(name)/3+1 // farther is no help
	f.VisitAll(func(fl *pflag.Flag) {
		if d := edits(name, fl.Name); d < least && !notSettings[fl.Name] {
			best, least = fl.Name, d
		}
	})
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", show(best))
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
