//go:build !slim

package labcmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/unit"
)

func newKernelCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kernel COMMAND",
		Short: "build the lab's User-Mode Linux kernel, list what is built",
		Long: `Lab machines run a Linux kernel compiled as an ordinary program. It is built
from the kernel source package of Debian or Ubuntu, or from your own source tree
or archive, and kept in the user's cache (unchoke/kernel below $XDG_CACHE_HOME),
in a directory named after everything that the build depends on. The package
unchoke-lab-kernel has one in ` + kernel.System + `; one that you
build takes precedence.`,
		Args: cli.KnownVerb,
		RunE: cli.RequireVerb,
	}
	cmd.AddCommand(newKernelBuildCommand(a), newKernelInfoCommand(a))
	return cmd
}

func newKernelBuildCommand(a *cli.App) *cobra.Command {
	var opts kernel.Options
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "build",
		Short: "build a lab kernel, unless it is built already",
		Long: `Build compiles a lab kernel, which takes some minutes. Without --source it uses
the newest linux-source-* package in /usr/src, of version ` + kernel.MinVersion + ` or later. By
default "lab exec" uses the newest kernel without patches; select another by its
key.`,
		Example: `  unchoke lab kernel build
  unchoke lab kernel build --source ~/src/linux --patch my-cc.patch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("jobs") && opts.Jobs < 1 {
				return cli.Usagef("--jobs %d: at least one file has to be compiled at a time", opts.Jobs)
			}
			dir, err := kernel.Dir()
			if err != nil {
				return err
			}
			opts.Dir = dir
			info, err := buildKernel(cmd.Context(), a, opts)
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(info)
			}
			_ = a.Say("Linux %s, key %s: %s", info.Version, info.Key, info.Path)
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Source, "source", "", "kernel source `TREE` or archive")
	flags.StringArrayVar(&opts.Patches, "patch", nil, "patch `FILE`, or directory of *.patch and *.diff, to apply; may be repeated")
	flags.IntVar(&opts.Jobs, "jobs", 0, "compile `N` files at a time (default: one per CPU)")
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

// Shares of a build's time, of which compiling is the rest.
const (
	unpackShare    = 0.08
	configureShare = 0.04
)

// buildKernel builds and shows how far it is.
func buildKernel(ctx context.Context, a *cli.App, opts kernel.Options) (kernel.Info, error) {
	bar := a.StartProgress("lab kernel")
	defer bar.Done()
	opts.Progress = func(p kernel.Progress) {
		part := 0.0
		if p.Total > 0 {
			part = float64(p.Done) / float64(p.Total)
		}
		var share float64
		switch p.Phase {
		case kernel.Unpacking:
			share = unpackShare * part
		case kernel.Configuring:
			share = unpackShare + configureShare*part
		case kernel.Compiling:
			share = unpackShare + configureShare + (1-unpackShare-configureShare)*part
		}
		bar.Set(share, "lab kernel: "+string(p.Phase))
	}
	return kernel.Build(ctx, opts)
}

// KernelList is what lab kernel info --json prints.
type KernelList struct {
	Schema  string        `json:"schema"`
	Dir     string        `json:"dir"`
	System  string        `json:"system_dir"` // where a package has its own
	Default string        `json:"default"`    // a key; empty where none is built
	Kernels []kernel.Info `json:"kernels"`
}

func newKernelInfoCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "info",
		SuggestFor: []string{"list", "ls", "show"},
		Short:      "list the lab kernels that are there and what each was built from",
		Long: `Info lists the lab kernels that are built or installed, with the source that each
was built from, and marks the one that "lab exec" uses by default. The exit status
is 1 if that one is missing, for example because the installed package's kernel
belongs to another version of unchoke.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return kernelInfo(a, asJSON) },
	}
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

func kernelInfo(a *cli.App, asJSON bool) error {
	dir, err := kernel.Dir()
	if err != nil {
		return err
	}
	var infos []kernel.Info
	for _, place := range kernel.Places() {
		of, err := kernel.List(place)
		if err != nil {
			return err
		}
		infos = append(infos, of...)
	}
	byDefault, missing := kernel.Find(kernel.Places(), "")
	if missing != nil && !errors.Is(missing, kernel.ErrNone) {
		return missing
	}
	if asJSON {
		if infos == nil {
			infos = []kernel.Info{}
		}
		if err := a.PrintJSON(KernelList{"unchoke.lab.kernels/1", dir, kernel.System, byDefault.Key, infos}); err != nil {
			return err
		}
	} else {
		printKernels(a, infos, byDefault.Path)
	}
	if missing != nil {
		return cli.WithHint(missing, "install the package unchoke-lab-kernel of this version, or: unchoke lab kernel build")
	}
	return nil
}

// printKernels prints a block for each kernel; byDefault is the file of that which
// the lab takes.
func printKernels(a *cli.App, infos []kernel.Info, byDefault string) {
	for i, k := range infos {
		if i > 0 {
			_ = a.Say("")
		}
		title := "Linux " + k.Version
		if k.Path == byDefault {
			title += " (default)"
		}
		_ = a.Say("%s", title)
		table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "  key\t%s\n", k.Key)
		fmt.Fprintf(table, "  file\t%s, %.1f MiB\n", k.Path, float64(k.SizeBytes)/float64(unit.MiB))
		if k.Packaged() {
			fmt.Fprintf(table, "  from\tthe package unchoke-lab-kernel\n")
		}
		fmt.Fprintf(table, "  source\t%s\n", k.Source)
		if k.SourceName != "" {
			fmt.Fprintf(table, "  its package\t%s\n", k.SourceName)
		}
		if k.SourceHash != "" {
			fmt.Fprintf(table, "  its SHA-256\t%s\n", k.SourceHash)
		}
		if len(k.Patches) > 0 {
			fmt.Fprintf(table, "  patches\t%s\n", strings.Join(k.Patches, ", "))
		}
		fmt.Fprintf(table, "  edits\t%d, which --json lists\n", len(k.Edits))
		if k.Seccomp {
			fmt.Fprintf(table, "  runs processes\tunder seccomp\n")
		} else {
			fmt.Fprintf(table, "  runs processes\tunder ptrace\n")
		}
		built := k.BuiltAt.Local().Format(time.DateTime)
		if k.BuildTimeS > 0 { // a package's is not told
			built += fmt.Sprintf(" in %v", time.Duration(k.BuildTimeS*float64(time.Second)).Round(time.Second))
		}
		fmt.Fprintf(table, "  built\t%s\n", built)
		table.Flush()
	}
}
