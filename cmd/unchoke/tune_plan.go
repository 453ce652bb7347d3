package main

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"unchoke/internal/report"
	"unchoke/internal/tune"
	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/host"
	"unchoke/internal/tune/survey"
)

// planFlags are what every command takes that makes a plan.
type planFlags struct {
	path, scope, remedy string
	resolve             bool
}

func (f *planFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.path, "for", "", "plan for the path of this `RECORD|TARGET` (default: of the newest record, if any)")
	flags.StringVar(&f.scope, "scope", "host", "change no more than `SCOPE`: host, route:PREFIX or device:NAME")
	flags.StringVar(&f.remedy, "remedy", string(tune.Auto), "`ANSWER` to the cause: auto, bbr, or maxrate (fq below a policer)")
	flags.BoolVar(&f.resolve, "resolve", false, "also turn lines below /etc that would win over the plan's into comments")
	_ = cmd.RegisterFlagCompletionFunc("remedy", cobra.FixedCompletions([]string{"auto", "bbr", "maxrate"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("scope", cobra.FixedCompletions([]string{"host", "route:", "device:"}, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	_ = cmd.RegisterFlagCompletionFunc("for", completeRecord)
}

// options are the flags as a plan takes them.
func (f planFlags) options() (tune.Options, error) {
	scope, err := tune.ParseScope(f.scope)
	if err != nil {
		return tune.Options{}, usage(err)
	}
	remedy, err := tune.ParseRemedy(f.remedy)
	if err != nil {
		return tune.Options{}, usage(err)
	}
	return tune.Options{Scope: scope, Remedy: remedy, Resolve: f.resolve}, nil
}

// plan surveys this host, or the image in root, and decides.
func (f planFlags) plan(root string) (tune.Facts, tune.Plan, error) {
	options, err := f.options()
	if err != nil {
		return tune.Facts{}, tune.Plan{}, err
	}
	m, err := measured(f.path)
	if err != nil {
		return tune.Facts{}, tune.Plan{}, err
	}
	facts, err := surveyed(root)
	if err != nil {
		return facts, tune.Plan{}, err
	}
	p, err := tune.Make(&facts, m, options)
	switch {
	case errors.Is(err, tune.ErrNoSuchRoute):
		err = withHint(err, "ip route show table all has the routes")
	case errors.Is(err, tune.ErrNoSuchDevice):
		err = withHint(err, "ip link has the devices")
	}
	return facts, p, err
}

// surveyed are the facts of this host, or of the image in root.
func surveyed(root string) (tune.Facts, error) {
	if root != "" {
		return survey.Image(root)
	}
	if runtime.GOOS != "linux" {
		return tune.Facts{}, withHint(errors.New("only Linux hosts can be tuned"), "unchoke tune plan --root DIR plans for an image of one")
	}
	return survey.Host(host.Host{Disk: disk.OS{}}), nil
}

func newTunePlanCommand(a *app) *cobra.Command {
	var f planFlags
	var root string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "say what is worth changing on this host, and why",
		Long: `Plan reads this host and decides what is worth changing for the path that was
measured last, or the one that --for names. It prints the changes as a diff with
a reason each, and who would undo them: files that are read later at boot,
tuned, networkd. It changes nothing.

Scope host sets the defaults of all connections; route:PREFIX gives only the
routes within the prefix their own congestion control, the least that helps a
tunnel; device:NAME does so for the routes and the queue of one device.

Exit status: 0 nothing to change, 3 changes pending, 6 this host cannot be
changed (the report says why, and the next step), 1 failed, 2 wrong usage.`,
		Example: `  unchoke tune plan
  unchoke tune plan --for far.example.net --scope route:100.64.0.0/10
  unchoke tune plan --root /mnt/image --json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			facts, p, err := f.plan(root)
			if err != nil {
				return err
			}
			if asJSON {
				err = a.printJSON(p)
			} else {
				err = report.PlanText(a.stdout, p, report.Style{Width: a.terminal.width, Colour: a.terminal.colour})
			}
			if err != nil {
				return err
			}
			a.warn(facts.Warnings)
			return planStatus(p)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	cmd.Flags().StringVar(&root, "root", "", "plan for the mounted image in `DIR`")
	addJSONFlag(cmd, &asJSON)
	return cmd
}

// planStatus is what a plan's exit status tells a script.
func planStatus(p tune.Plan) error {
	switch {
	case p.Unsupported != nil:
		return statusError(statusUnsupported)
	case len(p.Changes) > 0:
		return statusError(statusPending)
	}
	return nil
}
