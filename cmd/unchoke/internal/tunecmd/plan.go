//go:build !slim

package tunecmd

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// planFlags are what every command takes that makes a plan.
type planFlags struct {
	RemedyFlags
	path string // a record or a target
	// measured is a file with a tune.Measured, or "-" for standard input, in place
	// of a record: a near end has the record.
	measured string
	stdin    io.Reader
}

func (f *planFlags) add(cmd *cobra.Command) {
	f.RemedyFlags.Add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.path, "for", "", "plan for the path of this `RECORD|TARGET` (default: the newest record, if any; under sudo, the invoking user's)")
	flags.StringVar(&f.measured, "measured", "", "plan for the path in this `FILE`, or on standard input (-)")
	_ = flags.MarkHidden("measured")
	_ = cmd.RegisterFlagCompletionFunc("for", cli.CompleteRecord)
}

// plan asks for the plan for this host, or for the image in root.
func (f planFlags) plan(root string) (tune.Facts, tune.Plan, error) {
	options, err := f.Options()
	if err != nil {
		return tune.Facts{}, tune.Plan{}, err
	}
	if f.measured != "" {
		m, err := f.readMeasured()
		if err != nil {
			return tune.Facts{}, tune.Plan{}, err
		}
		return usecase.PlanFor(m, options)
	}
	return usecase.Plan(usecase.PlanRequest{For: f.path, Root: root, Options: options})
}

// readMeasured reads what a near end measured; null is nothing.
func (f planFlags) readMeasured() (*tune.Measured, error) {
	b, err := readInput(f.measured, f.stdin, maxPlan)
	var m *tune.Measured
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		return nil, fmt.Errorf("read what was measured: %w", err)
	}
	return m, nil
}

func newPlanCommand(a *cli.App) *cobra.Command {
	var f planFlags
	var on onFlags
	var root, out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "say what is worth changing on this host, and why",
		Long: `Plan reads this host and decides what is worth changing for the path that was
measured last, or the one that --for names (under sudo: by the user who ran
sudo). Without a measurement it plans only what --remedy names. It prints the
changes as a diff, each with a reason, and what would undo them: files that are
read later at boot, tuned, networkd. It changes nothing.

Scope host sets the defaults of all connections; route:PREFIX sets only the
congestion control of the routes within the prefix, the smallest change that
helps a tunnel; device:NAME sets that of one device's routes, and its queue.

With --on it plans for another host, over your own ssh: for the newest check that
this host made of it, as that host sees the path.

Exit status: 0 nothing to change, 3 changes pending, 6 this host cannot be
changed (the report says why, and the next step), 1 failed, 2 wrong usage.`,
		Example: `  unchoke tune plan
  unchoke tune plan --out plan.json && sudo unchoke tune apply plan.json
  unchoke tune plan --for far.example.net --scope route:100.64.0.0/10
  unchoke tune plan --root /mnt/image --json
  unchoke tune plan --on ssh://me@far`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var facts tune.Facts
			var p tune.Plan
			var err error
			switch {
			case on.on != "" && root != "":
				return cli.Usagef("--root is for this host's images, not for %s", on.on)
			case on.on != "":
				p, err = planOn(cmd.Context(), a, f, on)
			default:
				f.stdin = a.Stdin
				facts, p, err = f.plan(root)
			}
			if err != nil {
				return err
			}
			if out != "" {
				if err := writePlan(out, p); err != nil {
					return err
				}
			}
			if asJSON {
				err = a.PrintJSON(p)
			} else {
				err = planreport.Text(a.Stdout, p, a.Style())
			}
			if err != nil {
				return err
			}
			a.Warn(facts.Warnings)
			return planStatus(p)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	on.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "also write the plan to a new `FILE`, for unchoke tune apply FILE")
	cmd.Flags().StringVar(&root, "root", "", "plan for the mounted image in `DIR`")
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

// planStatus is what a plan's exit status tells a script.
func planStatus(p tune.Plan) error {
	switch {
	case p.Unsupported != nil:
		return cli.StatusError(outcome.ExitRefused)
	case len(p.Changes) > 0:
		return cli.StatusError(outcome.ExitPending)
	}
	return nil
}
