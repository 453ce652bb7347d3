package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "print the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("unknown command %q", strings.Join(args, " "))
			}
			return about.Help()
		},
	}
}
