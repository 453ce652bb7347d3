package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
)

func TestFlagUsages(t *testing.T) {
	cmd := &command.Command{Use: "probe"}
	var text string
	var on bool
	cmd.Flags().BoolVarP(&on, "four", "4", false, "use IPv4 only")
	cmd.Flags().BoolVar(&on, "six", true, "use IPv6")
	cmd.Flags().StringVar(&text, "format", "text", "write a `FORM`")
	cmd.Flags().StringVar(&text, "since", "", "what changed")
	const want = `      --format FORM    write a FORM (default "text")
  -4, --four           use IPv4 only
      --since string   what changed
      --six            use IPv6 (default true)
`
	if got := flagUsages(cmd.Flags()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// What is on or off is written without a value, and text fits a terminal, in every
// command.
func TestHelpOfCommands(t *testing.T) {
	const columns = 84
	var all func(*command.Command)
	all = func(c *command.Command) {
		for line := range strings.Lines(c.Long) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("%s: %d columns: %s", c.CommandPath(), n, line)
			}
		}
		if text := flagUsages(c.LocalFlags()); strings.Contains(text, "[=") {
			t.Errorf("%s:\n%s", c.CommandPath(), text)
		}
		for _, sub := range c.Commands() {
			all(sub)
		}
	}
	all(newRoot(&cli.App{}))
}
