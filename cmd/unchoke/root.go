package main

import (
	"context"
	"io"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
)

// run runs one command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &cli.App{Stdin: stdin, Stdout: stdout, Stderr: stderr, Terminal: cli.NewTerminal(stdout, stderr)}
	root := newRoot(a)
	root.SetArgs(args)
	started := false
	cli.NoteStart(root, &started)
	cmd, err := command.Execute(ctx, root)
	if err != nil && !started {
		err = cli.Usage(err)
	}
	return cli.ReportError(ctx, stderr, cmd, err)
}

func newRoot(a *cli.App) *command.Command {
	version := false
	root := &command.Command{
		Use:   "unchoke COMMAND",
		Short: "find why one TCP stream is slow, and fix it",
		Long: `Unchoke finds why one TCP stream is slow on a path that should be fast, proves
the cause, fixes it and verifies that the fix worked.

Commands that have --json print one versioned JSON document to standard output
(watch and serve: one per line) and nothing else. Progress and errors go to
standard error; if a command fails before it has a document, standard output stays
empty. Output has no colour if NO_COLOR is set or the output is not a terminal.

Exit status: 0 done, 1 failed, 2 wrong usage. Commands with other statuses list
them in their help.`,
		Args: cli.KnownVerb,
		RunE: func(cmd *command.Command, args []string) error {
			if version {
				return sayVersion(a)
			}
			return cli.RequireVerb(cmd, args)
		},
		SilenceErrors: true, // reportError prints them
		SilenceUsage:  true,

		DisableFlagsInUseLine: true,
	}
	root.Flags().BoolVarP(&version, "version", "v", false, "version for unchoke")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetUsageFunc(printUsage)
	root.SetHelpCommand(newHelpCommand())
	root.SuggestionsMinimumDistance = 2 // of edits
	command.Prepare(root)
	for _, newVerb := range verbs {
		root.AddCommand(newVerb(a))
	}
	completeValues(root)
	return root
}
