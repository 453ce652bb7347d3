// Package manual writes the program's reference, one page a command, as manual
// pages and as Markdown, from what the commands' help says.
package manual

import "strings"

// Page is what one command's help says.
type Page struct {
	Command  string // as typed: "unchoke lab exec"
	Short    string // a line
	Long     string // paragraphs; lines that begin with two spaces stay as they are
	Usage    string
	Examples string // lines, indented
	Commands []Entry
	Flags    []Flag
	Sections []Section
	See      []Entry // the command above, and those beneath
}

// Entry is another command, with the line that says what it does.
type Entry struct{ Command, Short string }

// Flag is an option of a command.
type Flag struct {
	Name     string // without dashes
	Short    string // one letter, or empty
	Argument string // what follows it: FILE; empty where nothing does
	Text     string
	Default  string // empty where there is none worth telling
}

// Section is one that few pages have.
type Section struct {
	Title string
	Items []Item
}

// Item is a thing and what it is for.
type Item struct{ Name, Text string }

// Name is the page's: "unchoke-lab-exec".
func (p Page) Name() string { return name(p.Command) }

func name(command string) string { return strings.ReplaceAll(command, " ", "-") }

// spelled is a flag as it is typed.
func (f Flag) spelled() string {
	text := "--" + f.Name
	if f.Short != "" {
		text = "-" + f.Short + ", " + text
	}
	if f.Argument != "" {
		text += " " + f.Argument
	}
	return text
}

// told is what a flag does, with its default.
func (f Flag) told() string {
	if f.Default == "" || strings.Contains(f.Text, "(default") {
		return f.Text
	}
	return f.Text + " (default " + f.Default + ")"
}

// A block is a paragraph, or lines that stay as they are.
type block struct {
	literal bool
	lines   []string
}

// blocks splits a help's text where a line is empty or its kind changes. Between
// two literal blocks an empty line is one of both.
func blocks(text string) []block {
	var all []block
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == "" {
			open = false
			continue
		}
		literal := strings.HasPrefix(line, "  ")
		switch {
		case open && all[len(all)-1].literal == literal:
			all[len(all)-1].lines = append(all[len(all)-1].lines, line)
		case literal && len(all) > 0 && all[len(all)-1].literal:
			last := &all[len(all)-1]
			last.lines = append(last.lines, "", line)
		default:
			all = append(all, block{literal, []string{line}})
		}
		open = true
	}
	return all
}
