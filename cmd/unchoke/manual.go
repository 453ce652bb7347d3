//go:build !slim || manual

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/command"
	"unchoke/internal/report/manual"
)

// newManualCommand is for those who build packages and the site.
func newManualCommand(a *cli.App) *command.Command {
	var date, format string
	cmd := &command.Command{
		Use:    "manual DIR",
		Short:  "write the manual, a page for each command",
		Hidden: true,
		Args:   cli.OneArgument("a DIR"),
		RunE: func(cmd *command.Command, args []string) error {
			edition := manual.Edition{Version: cli.ProgramVersion()}
			var err error
			if edition.Date, err = time.Parse(time.DateOnly, date); err != nil {
				return cli.Usage(fmt.Errorf("--date: %w", err))
			}
			write := map[string]func(manual.Page) (file, text string){
				"man":      func(p manual.Page) (string, string) { return p.Name() + ".1", p.Roff(edition) },
				"markdown": func(p manual.Page) (string, string) { return p.Name() + ".md", p.Markdown() },
			}[format]
			if write == nil {
				return cli.WithHint(cli.Usagef("no format %q", format), "man or markdown")
			}
			for _, page := range pages(cmd.Root(), nil) {
				file, text := write(page)
				if err := os.WriteFile(filepath.Join(args[0], file), []byte(text), 0o644); err != nil {
					return fmt.Errorf("write the manual: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&date, "date", time.Now().UTC().Format(time.DateOnly), "the `DAY` of this version")
	cmd.Flags().StringVar(&format, "format", "man", "`FORMAT`: man or markdown")
	return cmd
}

// pages are a command's and those of the commands beneath it.
func pages(cmd, above *command.Command) []manual.Page {
	cmd.InitDefaultHelpFlag()
	page := manual.Page{
		Command: cmd.CommandPath(), Short: cmd.Short, Long: cmd.Long, Usage: cmd.UseLine(),
		Examples: cmd.Example, Flags: flagsOf(cmd),
	}
	if above == nil {
		page.Sections = append([]manual.Section{environment}, moreSections...)
	} else {
		page.See = append(page.See, entry(above))
	}
	all := []manual.Page{page}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all[0].Commands = append(all[0].Commands, entry(sub))
			all = append(all, pages(sub, cmd)...)
		}
	}
	return all
}

func entry(cmd *command.Command) manual.Entry {
	return manual.Entry{Command: cmd.CommandPath(), Short: cmd.Short}
}

func flagsOf(cmd *command.Command) []manual.Flag {
	var all []manual.Flag
	cmd.LocalFlags().VisitAll(func(f *command.Flag) {
		if f.Hidden {
			return
		}
		argument, text := command.UnquoteUsage(f)
		flag := manual.Flag{Name: f.Name, Short: f.Shorthand, Argument: argument, Text: text}
		if !isZero(f) {
			flag.Default = f.DefValue
		}
		all = append(all, flag)
	})
	return all
}

// environment is what concerns every command.
var environment = manual.Section{Title: "Environment", Items: []manual.Item{
	{Name: "UNCHOKE_STATE_DIR", Text: "Where records of checks and comparisons are kept, instead of unchoke below $XDG_STATE_HOME (~/.local/state)."},
	{Name: tokenVariable, Text: "The token that a server asks for, or that \"unchoke serve\" asks for."},
	{Name: "NO_COLOR", Text: "Where it is set, output has no colour."},
}}
