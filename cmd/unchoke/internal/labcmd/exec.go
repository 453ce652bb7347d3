//go:build !slim

package labcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/lab/machine"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

type execFlags struct {
	path                  string
	far                   string
	farOutput             bool
	nearSysctl, farSysctl []string
	rw                    []string
	seed                  uint64
	onHost                bool
	kernel                string
	memory                string
	stallTimeout          time.Duration
}

func newExecCommand(a *cli.App) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [--path SPEC] [--far CMD] -- CMD [ARGUMENT]...",
		Short: "run a command on an emulated path",
		Long: `Exec runs CMD on host near while a shell runs the --far command on host far. The
hosts' names are near, far and, outside a tunnel, far.underlay. Both see this
host's files; what they write is discarded with the lab, except below the --rw
directories. Standard streams, environment, working directory, signals and the
exit status pass through.

Time in a lab machine is virtual: it advances only while every program waits,
and then instantly.

SPEC is a list such as rtt=50ms,loss=0.5%,rate=100mbit,tunnel=wireguard, of

` + pathHelp + `
Each but tunnel, mtu and schedule holds for one direction with up. or down. before
it: down.loss=1%. Up is from near to far.

A schedule is a list of episodes, separated by semicolons. Each has the words at,
every and for, with a time after them, and what is different meanwhile: rtt, jitter,
loss, rate, udp.loss, udp.rate or cross, also with up. or down. before it.

Exit status: CMD's; 128 + N if signal N ended it, 127 if there is no such
command, 126 if it cannot be run, 1 if the lab failed, 2 wrong usage.`,
		Example: `  unchoke lab exec --path rtt=50ms,loss=0.5% --far 'iperf3 -s' -- iperf3 -c far
  unchoke lab exec --path rtt=80ms,rate=20mbit,queue=2MiB -- ping -c 3 far
  unchoke lab exec --path 'rtt=27ms,schedule=every 15s for 200ms rtt=+50ms' -- ping -c 60 far
  unchoke lab exec --path 'rtt=27ms,schedule=every 9s for 1s up.loss=2%; at 5s for 2s loss=100%' -- ping -c 20 far
  unchoke lab exec --path rtt=20ms --rw out -- sh -c 'ss -ti > out/sockets'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s needs a command to run", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return execute(cmd.Context(), a, f, args)
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows CMD is CMD's
	flags.StringVar(&f.path, "path", "", "`SPEC` of the path (default: a wire without delay, loss or limit)")
	flags.StringVar(&f.far, "far", "", "shell command `CMD` to run on far")
	flags.BoolVar(&f.farOutput, "far-output", false, "show far's output on standard error (default: only if it fails)")
	flags.StringArrayVar(&f.nearSysctl, "near-sysctl", nil, "set sysctl `KEY=VALUE` on near; may be repeated")
	flags.StringArrayVar(&f.farSysctl, "far-sysctl", nil, "set sysctl `KEY=VALUE` on far; may be repeated")
	flags.StringArrayVar(&f.rw, "rw", nil, "let the lab change files below directory `DIR`; may be repeated")
	flags.Uint64Var(&f.seed, "seed", 0, "seed all random numbers with `N`, so that the same run gives the same bytes (0: random)")
	flags.BoolVar(&f.onHost, "host", false, "use namespaces of this kernel, in real time, instead of a lab machine; files are then not protected")
	flags.StringVar(&f.kernel, "kernel", "", "`KERNEL` of the machine: a file, or a key of \"lab kernel info\"")
	flags.StringVar(&f.memory, "memory", (machine.DefaultMemory * unit.MiB).String(), "`SIZE` of the machine's memory")
	flags.DurationVar(&f.stallTimeout, "stall-timeout", machine.DefaultStallTimeout, "give up if virtual time does not advance for this `TIME`")
	_ = cmd.RegisterFlagCompletionFunc("path", completePath)
	_ = cmd.RegisterFlagCompletionFunc("kernel", completeKernel)
	cmd.MarkFlagsMutuallyExclusive("host", "kernel")
	cmd.MarkFlagsMutuallyExclusive("host", "memory")
	return cmd
}

// minMemory lets the kernel boot with room for a small program.
const minMemory = 64 * unit.MiB

// command is what the flags ask for.
func (f execFlags) command(args []string) (lab.Command, error) {
	p, err := path.Parse(f.path)
	if err != nil {
		return lab.Command{}, err
	}
	memory, err := unit.ParseSize(f.memory)
	if err != nil {
		return lab.Command{}, err
	}
	if memory < minMemory {
		return lab.Command{}, fmt.Errorf("memory %v is too small: a lab machine needs %v", memory, minMemory)
	}
	if f.stallTimeout <= 0 {
		return lab.Command{}, fmt.Errorf("stall timeout %v is not positive", f.stallTimeout)
	}
	return lab.Command{
		Path: p, Seed: f.seed,
		Near: args, Far: f.far,
		NearSysctl: f.nearSysctl, FarSysctl: f.farSysctl,
		RW: f.rw, OnHost: f.onHost,
		Kernel: f.kernel, Memory: int(memory / unit.MiB), StallTimeout: f.stallTimeout,
	}, nil
}

// execute runs the command and passes its exit status on.
func execute(ctx context.Context, a *cli.App, f execFlags, args []string) error {
	c, err := f.command(args)
	if err != nil {
		return cli.Usage(err)
	}
	c.Stdin, c.Stdout, c.Stderr = a.Stdin, a.Stdout, a.Stderr
	if f.farOutput {
		c.FarOutput = a.Stderr
	}
	return RunIn(ctx, a, c)
}

// RunIn runs a command on near as if in a shell of this terminal. Its exit
// status, where it is not 0, is the error.
func RunIn(ctx context.Context, a *cli.App, c lab.Command) error {
	if !c.OnHost && c.Kernel == "" {
		if err := ensureKernel(ctx, a); err != nil {
			return err
		}
	}
	if stdin, ok := a.Stdin.(*os.File); ok && !c.OnHost {
		if _, isTerminal := cli.TerminalFD(a.Stdout); isTerminal {
			restore, err := shareTerminal(&c, stdin)
			if err != nil {
				return err
			}
			defer restore()
		}
	}
	// The lab gets every signal, the ones that end this program among them, and
	// passes them on to the command.
	signals, stop := passedSignals()
	defer stop()
	c.Signals = signals
	status, err := lab.Exec(context.WithoutCancel(ctx), c)
	if err != nil {
		return err
	}
	if status != 0 {
		return cli.StatusError(status)
	}
	return nil
}

// ensureKernel builds the lab kernel where there is none.
func ensureKernel(ctx context.Context, a *cli.App) error {
	_, none := kernel.Find(kernel.Places(), "")
	if !errors.Is(none, kernel.ErrNone) {
		return none
	}
	dir, err := kernel.Dir()
	if err != nil {
		return err
	}
	a.Tell("unchoke: %v; building it, once; this takes some minutes", none)
	_, err = buildKernel(ctx, a, kernel.Options{Dir: dir})
	return err
}
