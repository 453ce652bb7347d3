//go:build !slim

package tunecmd

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	"unchoke/internal/tune/apply"
	"unchoke/internal/tune/outcome"
)

func newRevertCommand(a *cli.App) *cobra.Command {
	var f actFlags
	var on onFlags
	var force, find bool
	var except []string
	var expired string
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "revert",
		Short: "revert everything that unchoke tune changed on this host",
		Long: `Revert restores the earlier state: sysctls and the list of allowed congestion
controls, qdiscs with their handles and parameters, routes, modules that were
loaded for a change and that nothing uses, and files byte by byte with mode and
owner. It also reverts what an interrupted run left.

If somebody changed a value since, it touches nothing and says so; --force
restores the old value anyway, --except KEY leaves the value as it is.

Exit status: 0 done, or nothing to revert; 6 refused, and nothing was touched:
not by this user, somebody changed a value since, or another "unchoke tune" runs;
1 failed, 2 wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if on.on != "" {
				return tuneError(onFar(a, on, stateThere(cmd, f), func(there *far.Tuner) error {
					o, err := there.RevertBy(cmd.Context(), force, except)
					if err != nil {
						return err
					}
					return showOutcome(a, o, f)
				}))
			}
			t, err := f.tuner()
			if err != nil {
				return err
			}
			if find {
				return t.Find(expired)
			}
			if expired != "" {
				return expire(cmd.Context(), t, expired, wait)
			}
			undo, err := t.Revert(cmd.Context(), apply.Way{Force: force, Except: except})
			if err != nil {
				return tuneError(err)
			}
			o := outcome.Outcome{Result: outcome.Reverted, Changes: undo.Took, Left: undo.Left}
			if len(undo.Took) == 0 {
				o.Result = outcome.Unchanged
			}
			return showOutcome(a, o, f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.add(cmd)
	on.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&force, "force", false, "also restore values that somebody changed since")
	flags.StringArrayVar(&except, "except", nil, "leave the change of this `KEY` as it is, and forget it (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("except", f.completeChange)
	// The timer's own: take the trial of that name back, after a while.
	flags.StringVar(&expired, "expired", "", "take back this trial only, where nobody confirmed it")
	flags.DurationVar(&wait, "wait", 0, "with --expired: after this time")
	flags.BoolVar(&find, "find", false, "with --expired: only tell whether the journal has it")
	_ = flags.MarkHidden("expired")
	_ = flags.MarkHidden("find")
	_ = flags.MarkHidden("wait")
	return cmd
}

// completeChange offers the keys of the changes in the journal.
func (f *actFlags) completeChange(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var keys []cobra.Completion
	if t, err := f.tuner(); err == nil {
		status, _ := t.Status() // none to offer where the journal cannot be read
		for _, item := range status.Items {
			keys = append(keys, item.Change.Key)
		}
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// expireTime bounds how long the timer waits for a run that holds the lock.
const expireTime = 5 * time.Minute

// expire is the timer: it waits, and takes the trial back if it still
// waits for its confirmation. Asked to end, it does so at once instead.
func expire(ctx context.Context, t *apply.Tuner, round string, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), expireTime)
	defer cancel()
	_, err := t.Expire(bounded, round)
	return err
}
