//go:build !slim

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
)

func newCompletionCommand(a *cli.App) *cobra.Command {
	scripts := map[string]func(root *cobra.Command) error{
		"bash":       func(root *cobra.Command) error { return root.GenBashCompletionV2(a.Stdout, true) },
		"zsh":        func(root *cobra.Command) error { return root.GenZshCompletion(a.Stdout) },
		"fish":       func(root *cobra.Command) error { return root.GenFishCompletion(a.Stdout, true) },
		"powershell": func(root *cobra.Command) error { return root.GenPowerShellCompletionWithDesc(a.Stdout) },
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print a shell completion script for unchoke",
		Example: `  unchoke completion bash > /etc/bash_completion.d/unchoke
  unchoke completion zsh > "${fpath[1]}/_unchoke"
  unchoke completion fish > ~/.config/fish/completions/unchoke.fish`,
		Args:      cli.OneArgument("a SHELL"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			script, known := scripts[args[0]]
			if !known {
				return cli.WithHint(cli.Usagef("no completion for shell %q", args[0]), "bash, zsh, fish or powershell")
			}
			if err := script(cmd.Root()); err != nil {
				return fmt.Errorf("write completion for %s: %w", args[0], err)
			}
			return nil
		},
	}
}
