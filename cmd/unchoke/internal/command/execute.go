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
	return cmd, inPlainWords(err)
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

// inPlainWords rewrites cobra's error of flags that exclude each other.
func inPlainWords(err error) error {
	if err == nil {
		return nil
	}
	const end = "] were all set"
	_, set, found := strings.Cut(err.Error(), "are set none of the others can be; [")
	if !found || !strings.HasSuffix(set, end) {
		return err
	}
	flags := strings.Fields(strings.TrimSuffix(set, end))
	return fmt.Errorf("--%s exclude each other: give one", strings.Join(flags, " and --"))
}
