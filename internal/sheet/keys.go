package sheet

import (
	"strconv"
	"strings"
	"unicode"
)

// snake makes a key of a name: its words in lower case with _ between them.
// Letters and digits that are not ASCII separate words, as all else does.
func snake(name string) string { return strings.Join(keyWords(name), "_") }

func keyWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// withoutFigures is snake without the words that hold digits: those of a title
// are of one run.
func withoutFigures(title string) string {
	var words []string
	for _, word := range strings.Fields(title) {
		if !strings.ContainsAny(word, "0123456789") {
			words = append(words, word)
		}
	}
	return snake(strings.Join(words, " "))
}

// namer gives out keys, each once.
type namer map[string]bool

// name returns the key, or with _2, _3 and so on behind it if it was given out,
// and one made of what if it is empty.
func (n namer) name(key, what string) string {
	if key == "" {
		key = what
	}
	free := key
	for i := 2; n[free]; i++ {
		free = key + "_" + strconv.Itoa(i)
	}
	n[free] = true
	return free
}

// ids returns the IDs of the sections.
func (s *Sheet) ids() []string {
	list, names := make([]string, len(s.Sections)), namer{}
	for i := range list {
		id := snake(s.Sections[i].ID)
		if id == "" {
			id = withoutFigures(s.Sections[i].Title)
		}
		list[i] = names.name(id, "section")
	}
	return list
}

// keys returns the keys of the columns.
func (t *Table) keys() []string {
	list, names := make([]string, len(t.Columns)), namer{}
	for i, c := range t.Columns {
		key := snake(c.Key)
		if key == "" {
			key = snake(c.Name)
		}
		list[i] = names.name(key, "column")
	}
	return list
}

// settings returns the Config as a table.
func (s *Sheet) settings() *Table {
	t := &Table{Columns: []Column{{Name: "setting"}, {Name: "value"}}}
	for _, c := range s.Config {
		t.Rows = append(t.Rows, []Cell{c.Name, c.Value})
	}
	return t
}
