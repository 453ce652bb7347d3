//go:build !slim

package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// Execute runs the command line and tells which command that was. Beyond cobra it
// refuses the help of a command that there is not, and says in plain words which
// flags exclude each other.
func Execute(ctx context.Context, root *Command) (*Command, error) {
	var unknown error
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if _, left, err := root.Find(args); err == nil && cmd.HasSubCommands() && cmd.Args != nil {
			unknown = cmd.Args(cmd, words(left))
		}
		if unknown == nil {
			help(cmd, args)
		}
	})
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = unknown
	}
	return cmd, inPlainWords(cmd, err)
}

// words are the arguments without flags; a command that groups others has none with
// a value.
func words(args []string) []string {
	var out []string
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			out = append(out, arg)
		}
	}
	return out
}

// inPlainWords rewrites cobra's errors of flags that exclude each other, and of
// arguments that a command does not take.
func inPlainWords(cmd *Command, err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	const end = "] were all set"
	_, set, found := strings.Cut(text, "are set none of the others can be; [")
	if flags, whole := strings.CutSuffix(set, end); found && whole {
		return fmt.Errorf("--%s exclude each other: give one", strings.Join(strings.Fields(flags), " and --"))
	}
	surplus, none := strings.CutSuffix(text, fmt.Sprintf(" for %q", cmd.CommandPath()))
	if surplus, found = strings.CutPrefix(surplus, "unknown command "); none && found && !cmd.HasSubCommands() {
		return fmt.Errorf("unexpected argument %s: %s takes none", surplus, cmd.CommandPath())
	}
	var most, given int
	if n, _ := fmt.Sscanf(text, "accepts at most %d arg(s), received %d", &most, &given); n == 2 {
		return fmt.Errorf("%d arguments: %s takes at most %d", given, cmd.CommandPath(), most)
	}
	return err
}
