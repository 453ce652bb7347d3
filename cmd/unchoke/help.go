package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"unchoke/cmd/unchoke/internal/command"
)

func newHelpCommand() *command.Command {
	return &command.Command{
		Use:   "help [COMMAND]...",
		Short: "print the help of a command",
		RunE: func(cmd *command.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q", strings.Join(args, " "))
			}
			return about.Help()
		},
	}
}

// printUsage is cobra's, with the placeholders in capitals as everywhere in
// this program's help, and without aliases, which no command has. It is no
// template: the slim build has none.
func printUsage(cmd *command.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(&b, "\nFlags:\n%s\n", strings.TrimRightFunc(flagUsages(cmd.LocalFlags()), unicode.IsSpace))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nMore about a command: %s COMMAND --help\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// flagUsages is the help's list of flags, a line each. Unlike pflag's it does not write
// --json[=true|false] of what is on or off.
func flagUsages(set *command.FlagSet) string {
	var left, right []string
	width := 0
	set.VisitAll(func(f *command.Flag) {
		if f.Hidden {
			return
		}
		typed := "      --" + f.Name
		if f.Shorthand != "" {
			typed = "  -" + f.Shorthand + ", --" + f.Name
		}
		value, usage := command.UnquoteUsage(f)
		if value != "" {
			typed += " " + value
		}
		if !isZero(f) {
			format := " (default %s)"
			if command.IsText(f) {
				format = " (default %q)"
			}
			usage += fmt.Sprintf(format, f.DefValue)
		}
		left, right = append(left, typed), append(right, usage)
		width = max(width, len(typed))
	})
	var b strings.Builder
	for i := range left {
		fmt.Fprintf(&b, "%-*s   %s\n", width, left[i], right[i])
	}
	return b.String()
}

// zeros are defaults that a help needs not name.
var zeros = []string{"", "0", "0s", "false", "[]"}

func isZero(f *command.Flag) bool { return slices.Contains(zeros, f.DefValue) }
