package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// app is what every verb is given: the standard streams and what is known of
// the terminal behind them.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       terminal
}

// run runs one command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, terminal: newTerminal(stdout, stderr)}
	root := newRoot(a)
	root.SetArgs(args)
	started := false
	noteStart(root, &started)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !started {
		err = usage(err)
	}
	return reportError(ctx, stderr, cmd, err)
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "unchoke COMMAND",
		Short: "find why one TCP stream is slow, and fix it",
		Long: `Unchoke finds why one TCP stream is slow on a path that should be fast, proves
the cause, fixes it and verifies that the fix worked.

With --json a command prints one versioned JSON document to standard output and
nothing else. Progress and errors go to standard error; if a command fails
before it has a document, standard output stays empty. Output has no colour if
NO_COLOR is set or the output is not a terminal.

Exit status: 0 done, 1 failed, 2 wrong usage. Commands with other statuses list
them in their help.`,
		Args:          knownVerb,
		RunE:          requireVerb,
		SilenceErrors: true, // reportError prints them
		SilenceUsage:  true,

		DisableFlagsInUseLine: true,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetUsageFunc(printUsage)
	root.SetHelpCommand(newHelpCommand())
	root.SuggestionsMinimumDistance = 2             // of edits
	root.CompletionOptions.DisableDefaultCmd = true // completion.go has ours
	cobra.EnableCommandSorting = false
	for _, newVerb := range verbs {
		root.AddCommand(newVerb(a))
	}
	return root
}
