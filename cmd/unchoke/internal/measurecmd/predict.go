//go:build !slim

package measurecmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/compare"
	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/record"
	predictreport "unchoke/internal/report/predict"
)

type predictFlags struct {
	cli.FormFlags
	arms []string
}

// statusNotUnderstood is that of a path of which no direction is understood.
const statusNotUnderstood = 3

func NewPredict(a *cli.App) *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict [RECORD|TARGET]",
		Short: "say what each remedy would gain on a measured path, before anything is changed",
		Long: `Predict rebuilds a measured path in the lab and tries remedies there. It takes
the record of a check: the newest one, the one that RECORD names (an ID, a file
or "last"), or the newest of TARGET. Nothing is sent, and no host is changed.

It generates copies of the path within the record's uncertainty, runs each as the
check did, and keeps those that behave like the real path. On these it tries the
findings' remedies, or each --arm, and reports the rate of one stream, with the
interval that holds nine of ten such paths, the RTT under load, retransmits, and
what a CUBIC stream beside it keeps. If no copy behaves like the path, the path is
not understood well enough: it says what disagrees, and predicts nothing.

Without --arm it also removes from the copies what may impair them, to see what
each cause costs. The prediction is kept in the record; "unchoke record show",
"unchoke tune plan" and "unchoke ab" use it.

An arm is KEY=VALUE[,KEY=VALUE…] with cc, window, streams and direction, as of
"unchoke ab". It needs a lab kernel: that of the package unchoke-lab-kernel, or
one that "unchoke lab kernel build" makes.

Exit status: 0 done, 3 the path is not understood well enough, 1 failed, 2 wrong
usage.`,
		Example: `  unchoke predict
  unchoke predict far.example.net --arm cc=bbr --arm cc=bbr,streams=4
  unchoke predict last --format html > prediction.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return predict(cmd.Context(), a, name, f)
		},
		ValidArgsFunction: cli.CompleteRecord,
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.arms, "arm", nil, "try `ARM` instead of the findings' remedies; may be given several times")
	f.FormFlags.Add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("arm", completeArm(compare.PathArmKeys()))
	return cmd
}

// predict predicts and reports. A path that is not understood is reported, and
// is a status of its own.
func predict(ctx context.Context, a *cli.App, name string, f predictFlags) error {
	show, err := cli.View[predictreport.Report](a, f.FormFlags)
	if err != nil {
		return err
	}
	arms, err := f.parseArms()
	if err != nil {
		return err
	}
	run, err := usecase.CheckToPredict(name)
	if err != nil {
		return err
	}
	if run == nil {
		return cli.WithHint(errors.New("no check is saved: there is no path to predict for"), "unchoke check TARGET")
	}
	bar := a.StartProgress("predict " + run.Target)
	p, err := usecase.Predict(ctx, usecase.PredictRequest{Run: run, Arms: arms, Neighbor: true, Causes: len(arms) == 0, Progress: bar.Set})
	bar.Done()
	if errors.Is(err, kernel.ErrNone) {
		return cli.WithHint(err, "install the package unchoke-lab-kernel of this version, or: unchoke lab kernel build (minutes, once)")
	}
	if err != nil {
		return err
	}
	if len(arms) == 0 {
		if err := usecase.KeepPrediction(run, p.Arms); err != nil {
			a.Warn([]string{"the prediction was not kept in the record: " + err.Error()})
		}
	}
	report := predictreport.New(p, finding.Verdict(diagnose.Diagnose(run)))
	if err := show(report); err != nil {
		return err
	}
	if !report.Understood() {
		return cli.StatusError(statusNotUnderstood)
	}
	return nil
}

// parseArms reads the arms.
func (f predictFlags) parseArms() ([]record.Arm, error) {
	var arms []record.Arm
	for _, text := range f.arms {
		arm, err := compare.ParsePathArm(text)
		if err != nil {
			return nil, cli.Usage(err)
		}
		arms = append(arms, arm)
	}
	return arms, nil
}
