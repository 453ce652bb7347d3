//go:build !slim

package measurecmd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/cmd/unchoke/internal/labcmd"
	"unchoke/internal/lab"
	"unchoke/internal/lab/preset"
	comparereport "unchoke/internal/report/compare"
	"unchoke/internal/state"
)

// insideLab is the flag by which ab, started in the lab by itself, knows the
// preset whose path it is on.
const insideLab = "inside-lab"

// withLab lets ab compare on a preset's lab path instead of a target's. The
// whole of ab then runs in the lab, on host near, against a stock iperf3 on
// host far.
func withLab(a *cli.App, cmd *cobra.Command, f *abFlags) *cobra.Command {
	var name string
	flags := cmd.Flags()
	flags.StringVar(&name, "lab", "", "compare on the lab path `PRESET`, with its arms and times unless others are given: see \"unchoke lab list\"")
	flags.StringVar(&f.preset, insideLab, "", "")
	_ = flags.MarkHidden(insideLab)
	_ = cmd.RegisterFlagCompletionFunc("lab", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, p := range preset.All {
			names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	onTarget, oneTarget := cmd.RunE, cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		switch {
		case name == "":
			return oneTarget(cmd, args)
		case len(args) > 0:
			return fmt.Errorf("%s --lab %s has its own target", cmd.CommandPath(), name)
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if name == "" {
			return onTarget(cmd, args)
		}
		p, err := preset.Find(name)
		if err != nil {
			return cli.Usage(err)
		}
		return abInLab(cmd.Context(), a, p, flags)
	}
	return cmd
}

// presetStall is longer than other commands in the lab have: a stream of
// hundreds of Mbit/s that a policer has cut thousands of holes into makes the
// lab's TCP compute for minutes, where the machine is busy.
const presetStall = 10 * time.Minute

// abInLab runs ab in the lab, on the preset's path. The path's randomness and
// the order of the arms begin at the same seed.
func abInLab(ctx context.Context, a *cli.App, p preset.Preset, flags *pflag.FlagSet) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	seed, err := flags.GetUint64("seed")
	if err != nil {
		return err
	}
	if !flags.Changed("seed") {
		seed = uint64(rand.Uint32())
	}
	c := lab.Command{
		Path: p.LabPath(), Seed: seed,
		NearSysctl: p.NearSysctl, FarSysctl: p.FarSysctl,
		Near:  append([]string{self, "ab", "far"}, insideWords(p, flags, seed)...),
		Far:   "iperf3 -s",
		Stdin: a.Stdin, Stdout: a.Stdout, Stderr: a.Stderr,
		StallTimeout: presetStall,
	}
	if save, err := flags.GetBool("no-save"); err == nil && !save {
		// A record that has no place is a warning of the run, not its end.
		if store, err := state.DefaultStore(); err == nil && os.MkdirAll(store.Dir, 0o700) == nil {
			c.RW = []string{store.Dir}
		}
	}
	return labcmd.RunIn(ctx, a, c)
}

// insideWords are the flags of the ab inside: the user's, and for those that
// were not given the preset's.
func insideWords(p preset.Preset, flags *pflag.FlagSet, seed uint64) []string {
	words := []string{"--" + insideLab, p.Name, "--seed", strconv.FormatUint(seed, 10)}
	flags.Visit(func(f *pflag.Flag) {
		switch list, isList := f.Value.(pflag.SliceValue); {
		case f.Name == "lab" || f.Name == "seed":
		case isList:
			for _, v := range list.GetSlice() {
				words = append(words, "--"+f.Name+"="+v)
			}
		default:
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	if !flags.Changed("arm") && !flags.Changed("grid") {
		for _, arm := range p.Arms {
			words = append(words, "--arm="+arm)
		}
	}
	for name, value := range map[string]string{"direction": p.Direction, "duration": p.Duration.String(), "omit": p.Omit.String()} {
		if !flags.Changed(name) {
			words = append(words, "--"+name+"="+value)
		}
	}
	return words
}

// beside puts what a preset's source reported beside a comparison that ran on
// its path.
func (f abFlags) beside(c comparereport.Report) comparereport.Report {
	p, err := preset.Find(f.preset)
	if err != nil {
		return c // it did not run in the lab
	}
	return c.OnPreset(p)
}
