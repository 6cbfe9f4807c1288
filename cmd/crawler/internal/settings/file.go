package settings

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

	"crawler/cmd/crawler/internal/shell"
)

// notSettings are flags that make no sense in a configuration file or the
// environment.
var notSettings = map[string]bool{"config": true, "help": true, "dry-run": true, "ignore-robots": true}

// resolveSettings fills the flags that the command line left alone: from the
// environment (CRAWLER_MAX_PAGES=10) and, below that, from the configuration file.
func Resolve(f *pflag.FlagSet, environ []string) error {
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
		return shell.UsageError("check the path after --config", "configuration: %w", err)
	}
	return fromFile(f, name, data, given)
}

// EnvPrefix begins the names of environment variables that are settings.
const EnvPrefix = "CRAWLER_"

// FromEnvironment sets the flags that the command line left alone and that the command takes from
// the environment. It returns all that are given.
func FromEnvironment(f *pflag.FlagSet, environ []string, takes func(flag string) bool) (map[string]bool, error) {
	given := map[string]bool{}
	f.Visit(func(fl *pflag.Flag) { given[fl.Name] = true })
	return given, fromEnvironment(f, environ, given, takes)
}

// fromEnvironment sets the flags that were not given and that the command takes from
// the environment, and notes them in given.
func fromEnvironment(f *pflag.FlagSet, environ []string, given map[string]bool, takes func(flag string) bool) error {
	for _, kv := range environ {
		k, v, _ := strings.Cut(kv, "=")
		key, ours := strings.CutPrefix(k, EnvPrefix)
		if !ours {
			continue
		}
		name := strings.ReplaceAll(strings.ToLower(key), "_", "-")
		fl := f.Lookup(name)
		if fl == nil {
			// Kubernetes sets CRAWLER_SERVICE_HOST and the like for a service of this
			// name, so only what looks like a slip of the hand is an error.
			if slip := nearest(f, name, envName); slip != "" {
				return shell.UsageError("correct or unset it; crawler crawl --help lists the settings", "environment: %s is no setting%s", k, slip)
			}
			continue
		}
		if given[fl.Name] || !takes(fl.Name) {
			continue
		}
		if err := f.Set(fl.Name, v); err != nil {
			return shell.UsageError("", "environment: %s: %w", k, err)
		}
		given[fl.Name] = true
	}
	return nil
}

func envName(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
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
		return shell.UsageError("the file is YAML: one \"key: value\" a line, lists as [a, b]", "configuration %s: %w", name, err)
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
			return shell.UsageError("keys are the names of the flags in crawler crawl --help", "configuration %s:%d: unknown key %q%s", name, node.Line, k, nearest(f, k, func(n string) string { return n }))
		}
		if given[fl.Name] {
			continue
		}
		if err := setFromYAML(f, fl, &node); err != nil {
			return shell.UsageError("", "configuration %s:%d: %s: %w", name, node.Line, k, err)
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

// Effective is a configuration file of the settings as they are, with "# set" behind those
// that were changed.
func Effective(f *pflag.FlagSet) (string, error) {
	var b strings.Builder
	var failed error
	f.VisitAll(func(fl *pflag.Flag) {
		if notSettings[fl.Name] || failed != nil || fl.Name == "seeds" && fl.Value.String() == "" {
			return
		}
		line, err := setting(fl)
		failed = err
		b.WriteString(line)
	})
	return b.String(), failed
}

func setting(fl *pflag.Flag) (string, error) {
	var value any = fl.Value.String()
	if list, ok := fl.Value.(pflag.SliceValue); ok {
		value = list.GetSlice()
	}
	switch fl.Value.Type() {
	case "int", "uint64", "float64", "bool":
		value = yaml.Node{Kind: yaml.ScalarNode, Value: fl.Value.String()}
	}
	if n, ok := value.(yaml.Node); ok {
		value = &n
	}
	text, err := yaml.Marshal(map[string]any{fl.Name: value})
	if err != nil {
		return "", fmt.Errorf("setting %s: %w", fl.Name, err)
	}
	line := strings.TrimSuffix(string(text), "\n")
	if first, rest, list := strings.Cut(line, "\n"); fl.Changed && list {
		line = first + "  # set\n" + rest
	} else if fl.Changed {
		line += "  # set"
	}
	return line + "\n", nil
}
