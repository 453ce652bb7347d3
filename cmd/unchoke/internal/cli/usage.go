package cli

import (
	"fmt"
	"strings"

	"unchoke/cmd/unchoke/internal/command"
)

// usageError is a command line that cannot be run.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// Usage marks err as the command line's fault: exit status 2.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

// Usagef is usage of a new error.
func Usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// NoteStart lets run tell an error of a verb from one that came before any
// verb ran: unknown flags, wrong arguments, flags that exclude each other.
func NoteStart(cmd *command.Command, started *bool) {
	if verb := cmd.RunE; verb != nil {
		cmd.RunE = func(c *command.Command, args []string) error {
			*started = true
			return verb(c, args)
		}
	}
	for _, sub := range cmd.Commands() {
		NoteStart(sub, started)
	}
}

// OneArgument is the Args of a command that takes exactly one: "a TARGET".
func OneArgument(what string) command.PositionalArgs {
	return func(cmd *command.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("%s needs %s", cmd.CommandPath(), what)
		case 1:
			return nil
		}
		return fmt.Errorf("unexpected argument %q: %s takes %s", args[1], cmd.CommandPath(), what)
	}
}

// KnownVerb is the Args of a command that only groups others.
func KnownVerb(cmd *command.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = cmd.Root().SuggestionsMinimumDistance
	near := cmd.SuggestionsFor(args[0])
	if len(near) > 0 {
		return fmt.Errorf("unknown command %q for %q: did you mean %s?", args[0], cmd.CommandPath(), strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
}

// RequireVerb is the RunE of a command that only groups others.
func RequireVerb(cmd *command.Command, _ []string) error {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return Usagef("%s needs a command: %s", cmd.CommandPath(), strings.Join(names, ", "))
}
