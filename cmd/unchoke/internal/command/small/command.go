// Package small is what of cobra and pflag the slim build's commands need, in
// their names and with their words. Cobra brings scripts for shells, templates
// and regular expressions, half a megabyte for a router.
package small

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Command is a cobra.Command.
type Command struct {
	Use, Short, Long, Example string

	Args PositionalArgs
	RunE func(cmd *Command, args []string) error

	Hidden                      bool
	DisableFlagParsing          bool
	DisableFlagsInUseLine       bool
	SilenceErrors, SilenceUsage bool // always so here

	SuggestionsMinimumDistance int

	// A shell's are not asked for here.
	ValidArgs         []string
	ValidArgsFunction CompletionFunc

	parent      *Command
	commands    []*Command
	helpCommand *Command
	flags       FlagSet
	exclusive   [][]string // flags of which one may be set

	ctx   context.Context
	args  []string
	out   io.Writer
	usage func(*Command) error
}

// PositionalArgs objects to arguments.
type PositionalArgs func(cmd *Command, args []string) error

// NoArgs objects to all.
func NoArgs(cmd *Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	}
	return nil
}

func (c *Command) AddCommand(subs ...*Command) {
	for _, sub := range subs {
		sub.parent = c
		c.commands = append(c.commands, sub)
	}
}

// SetHelpCommand gives a root the command that prints the help of others. The
// help does not list it.
func (c *Command) SetHelpCommand(help *Command) { c.helpCommand = help }

func (c *Command) SetUsageFunc(usage func(*Command) error) { c.usage = usage }
func (c *Command) SetArgs(args []string)                   { c.args = args }
func (c *Command) SetIn(io.Reader)                         {} // no command asks for it
func (c *Command) SetOut(w io.Writer)                      { c.out = w }
func (c *Command) SetErr(io.Writer)                        {} // errors are returned
func (c *Command) OutOrStderr() io.Writer                  { return c.Root().out }

func (c *Command) Context() context.Context { return c.ctx }
func (c *Command) Commands() []*Command     { return c.commands }
func (c *Command) Flags() *FlagSet          { return &c.flags }
func (c *Command) LocalFlags() *FlagSet     { return &c.flags }

func (c *Command) Root() *Command {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

func (c *Command) Name() string {
	name, _, _ := strings.Cut(c.Use, " ")
	return name
}

func (c *Command) CommandPath() string {
	if c.parent == nil {
		return c.Name()
	}
	return c.parent.CommandPath() + " " + c.Name()
}

func (c *Command) UseLine() string {
	line := c.Use
	if c.parent != nil {
		line = c.parent.CommandPath() + " " + line
	}
	if !c.DisableFlagsInUseLine && c.HasAvailableLocalFlags() && !strings.Contains(line, "[flags]") {
		line += " [flags]"
	}
	return line
}

func (c *Command) HasExample() bool { return c.Example != "" }

func (c *Command) HasAvailableLocalFlags() bool {
	return slices.ContainsFunc(c.flags.all, func(f *Flag) bool { return !f.Hidden })
}

func (c *Command) HasAvailableSubCommands() bool {
	return slices.ContainsFunc(c.commands, (*Command).IsAvailableCommand)
}

func (c *Command) IsAvailableCommand() bool {
	return !c.Hidden && (c.parent == nil || c.parent.helpCommand != c) && (c.RunE != nil || c.HasAvailableSubCommands())
}

// NamePadding is the width of the names beside this one in a list.
func (c *Command) NamePadding() int {
	width := 11
	for _, sub := range c.parent.commands {
		width = max(width, len(sub.Name()))
	}
	return width
}

// InitDefaultHelpFlag adds --help.
func (c *Command) InitDefaultHelpFlag() {
	if c.flags.lookup("help") == nil {
		c.flags.BoolVarP(new(bool), "help", "h", false, "help for "+c.Name())
	}
}

// MarkFlagsMutuallyExclusive lets one of the flags be set.
func (c *Command) MarkFlagsMutuallyExclusive(names ...string) {
	c.exclusive = append(c.exclusive, names)
}

// ExecuteContextC runs the command that the arguments name, and tells which.
func (c *Command) ExecuteContextC(ctx context.Context) (*Command, error) {
	if c.helpCommand != nil {
		c.AddCommand(c.helpCommand)
	}
	cmd, args, err := c.Find(c.args)
	if err != nil {
		return cmd, err
	}
	cmd.ctx = ctx
	return cmd, cmd.execute(args)
}

// Find goes from command to command as the arguments name them, and returns what
// is left of these.
func (c *Command) Find(args []string) (*Command, []string, error) {
	for {
		i := c.firstWord(args)
		if i < 0 {
			return c, args, nil
		}
		named := slices.IndexFunc(c.commands, func(sub *Command) bool { return sub.Name() == args[i] })
		if named < 0 {
			return c, args, nil
		}
		c, args = c.commands[named], slices.Concat(args[:i], args[i+1:])
	}
}

// firstWord is where the first argument is that is neither a flag nor what
// follows one; -1 for none.
func (c *Command) firstWord(args []string) int {
	for i := 0; i < len(args); i++ {
		switch s := args[i]; {
		case s == "--":
			return -1
		case s == "" || s == "-":
		case s[0] != '-':
			return i
		case strings.Contains(s, "="):
		case strings.HasPrefix(s, "--"):
			if f := c.flags.lookup(s[2:]); f == nil || f.kind != boolean {
				i++
			}
		case len(s) == 2:
			if f := c.flags.short(s[1]); f == nil || f.kind != boolean {
				i++
			}
		}
	}
	return -1
}

func (c *Command) execute(args []string) error {
	c.InitDefaultHelpFlag()
	if !c.DisableFlagParsing {
		var err error
		if args, err = c.flags.parse(args); err != nil {
			return err
		}
		if help := c.flags.lookup("help"); help.value() == "true" {
			return c.Help()
		}
	}
	if c.RunE == nil {
		return c.Help()
	}
	if c.Args != nil {
		if err := c.Args(c, args); err != nil {
			return err
		}
	}
	if err := c.oneOfEach(); err != nil {
		return err
	}
	return c.RunE(c, args)
}

// oneOfEach objects to flags that exclude each other.
func (c *Command) oneOfEach() error {
	var wrong []string
	for _, names := range c.exclusive {
		var set []string
		c.flags.VisitAll(func(f *Flag) { // sorted
			if f.Changed && slices.Contains(names, f.Name) {
				set = append(set, f.Name)
			}
		})
		if len(set) > 1 {
			wrong = append(wrong, fmt.Sprintf("if any flags in the group [%v] are set none of the others can be; %v were all set", strings.Join(names, " "), set))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(slices.Min(wrong)) // the first of them, however they were added
}

// Help prints what the command does and how it is used.
func (c *Command) Help() error {
	about := c.Long
	if about == "" {
		about = c.Short
	}
	if about = strings.TrimRightFunc(about, unicode.IsSpace); about != "" {
		if _, err := fmt.Fprintf(c.OutOrStderr(), "%s\n\n", about); err != nil {
			return err
		}
	}
	return c.Root().usage(c)
}

// SuggestionsFor are the commands whose names are near what was typed, or begin
// with it.
func (c *Command) SuggestionsFor(typed string) []string {
	var near []string
	typed = strings.ToLower(typed)
	for _, sub := range c.commands {
		if name := strings.ToLower(sub.Name()); sub.IsAvailableCommand() &&
			(edits(typed, name) <= c.SuggestionsMinimumDistance || strings.HasPrefix(name, typed)) {
			near = append(near, sub.Name())
		}
	}
	return near
}

// edits are how many letters to insert, delete or replace (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1) // from the beginning of a so far to each of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			least := before
			if a[i] != b[j] {
				least = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], least
		}
	}
	return row[len(b)]
}

type (
	// Completion and those below are what a shell asks for; none asks here.
	Completion         = string
	CompletionFunc     func(cmd *Command, args []string, typed string) ([]Completion, ShellCompDirective)
	ShellCompDirective int
)

const ShellCompDirectiveNoFileComp ShellCompDirective = 4

func (c *Command) RegisterFlagCompletionFunc(string, CompletionFunc) error { return nil }

func FixedCompletions([]string, ShellCompDirective) CompletionFunc { return nil }

func NoFileCompletions(*Command, []string, string) ([]string, ShellCompDirective) {
	return nil, ShellCompDirectiveNoFileComp
}
