//go:build !slim

package fleetcmd

import (
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/app/far"
	"unchoke/internal/app/request"
	"unchoke/internal/app/rollout"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/remote"
)

func New(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet COMMAND",
		Short: "check, plan, change, verify and revert many hosts over SSH",
		Args:  cli.KnownVerb,
		RunE:  cli.RequireVerb,
	}
	cmd.AddCommand(
		newCheckCommand(a), newPlanCommand(a), newApplyCommand(a),
		newAskCommand(a, rollout.Verify), newAskCommand(a, rollout.Status), newAskCommand(a, rollout.Revert),
	)
	return cmd
}

// hostsHelp says how hosts are named.
const hostsHelp = `A HOST is what ssh takes: an alias of its configuration, [user@]host, or
ssh://[user@]host[:port]. --hosts reads them from a file: one name per line, or an
Ansible inventory (INI or YAML) with its groups and the variables that say how a
host is reached; --limit selects some of them.`

// hostFlags are those of all commands of fleet: which hosts, how they are
// reached, and how the report looks.
type hostFlags struct {
	hosts, limit string
	parallel     int
	become       bool
	cli.SSHFlags
	cli.FormFlags
}

func (f *hostFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.hosts, "hosts", "", "read hosts from `FILE`: one name per line, or an Ansible inventory")
	flags.StringVar(&f.limit, "limit", "", "select the hosts of this `PATTERN`: names and groups, with commas; * and ? match, ! excludes")
	f.SSHFlags.Add(cmd)
	f.FormFlags.Add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("limit", completeLimit)
	cmd.ValidArgsFunction = cobra.NoFileCompletions
}

// addSteps adds what commands take that work at hosts side by side.
func (f *hostFlags) addSteps(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.parallel, "parallel", rollout.DefaultParallel, "work at `N` hosts at once; measurements that share a host or a line never run side by side")
	cmd.Flags().BoolVar(&f.become, "become", false, "run unchoke there as root with sudo; asks for the password once if needed")
}

// read gives the hosts that the command line names.
func (f *hostFlags) read(a *cli.App, names []string) ([]inventory.Host, error) {
	if f.parallel < 0 {
		return nil, cli.Usagef("--parallel %d is negative", f.parallel)
	}
	hosts, warnings, err := rollout.Hosts(names, f.hosts, f.limit)
	a.Warn(warnings)
	return hosts, err
}

// opener opens hosts for verbs of tune. Sudo's password is asked for once.
func (f *hostFlags) opener(a *cli.App) func(inventory.Host) (fleet.Host, error) {
	password := a.PasswordOnce("the hosts")
	return func(h inventory.Host) (fleet.Host, error) {
		o := remote.Options{FarBinary: f.FarBinary, Arguments: h.SSH, Batch: true, Become: f.become || h.Become}
		if o.Become {
			o.Password = password
		}
		return far.NewTuner(h.Target(), far.TunerOptions{Remote: o})
	}
}

// request is what measurements are asked.
func (f *hostFlags) request() (request.Request, error) {
	return cli.MeasureFlags{SSHFlags: f.SSHFlags, Wait: 10 * time.Second}.Request("")
}

// completeLimit offers the names and groups of the file.
func completeLimit(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file, err := cmd.Flags().GetString("hosts")
	if err != nil || file == "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	hosts, _, err := rollout.Hosts(nil, file, "")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	seen := map[string]bool{}
	for _, h := range hosts {
		for _, name := range append([]string{h.Name}, h.Groups...) {
			if !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
