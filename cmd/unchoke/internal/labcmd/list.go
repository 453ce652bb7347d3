//go:build !slim

package labcmd

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/preset"
	"unchoke/internal/lab/sweep/language"
	comparereport "unchoke/internal/report/compare"
)

// PresetsSchema names this version of the document.
const PresetsSchema = "unchoke.lab.presets/1"

// Presets are all presets of the lab: comparisons for ab, sweeps for run.
type Presets struct {
	Schema      string             `json:"schema"`
	Comparisons []comparisonPreset `json:"comparisons"`
	Sweeps      []sweepPreset      `json:"sweeps"`
}

type comparisonPreset struct {
	Name       string   `json:"name"`
	About      string   `json:"about"`
	Path       string   `json:"path"`
	NearSysctl []string `json:"near_sysctl"`
	FarSysctl  []string `json:"far_sysctl"`
	Direction  string   `json:"direction"`
	Arms       []string `json:"arms"`
	Duration   float64  `json:"duration_s"`
	Omit       float64  `json:"omit_s"`

	Source   string                         `json:"source"`
	Said     string                         `json:"said"`
	Reported []comparereport.ReportedFigure `json:"reported"` // in the order of the arms
	Assumed  []string                       `json:"assumed"`
}

type sweepPreset struct {
	Name  string `json:"name"`
	About string `json:"about"`
}

func newListCommand(a *cli.App) *cobra.Command {
	var asJSON, long bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the lab's presets: comparisons and sweeps",
		Long: `List shows the lab's presets. A comparison is a path on which somebody reported
what one arm gains over another: "unchoke ab --lab NAME" measures it again and
compares its figures with the reported ones. A sweep is a grid of paths, traffics
and arms: "unchoke lab run NAME" runs it.`,
		Example: `  unchoke lab list
  unchoke lab list --long
  unchoke ab --lab cross-border`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := listPresets()
			if err != nil {
				return err
			}
			if asJSON {
				return a.PrintJSON(all)
			}
			return printPresets(a, all, long)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&long, "long", false, "show each comparison's path, the reported figures and the assumptions")
	cmd.MarkFlagsMutuallyExclusive("json", "long")
	return cmd
}

func listPresets() (Presets, error) {
	all := Presets{Schema: PresetsSchema, Sweeps: []sweepPreset{}}
	for _, p := range preset.All {
		c := comparisonPreset{
			Name: p.Name, About: p.About, Path: p.Path,
			NearSysctl: append([]string{}, p.NearSysctl...), FarSysctl: append([]string{}, p.FarSysctl...),
			Direction: p.Direction, Arms: p.Arms, Duration: p.Duration.Seconds(), Omit: p.Omit.Seconds(),
			Source: p.Claim.Source, Said: p.Claim.Said, Assumed: p.Assumed,
		}
		for _, f := range p.Claim.Arms {
			c.Reported = append(c.Reported, comparereport.ReportedFigure(f))
		}
		all.Comparisons = append(all.Comparisons, c)
	}
	sweeps, err := language.Presets()
	if err != nil {
		return all, err
	}
	for _, s := range sweeps {
		all.Sweeps = append(all.Sweeps, sweepPreset{s.Name, s.Description})
	}
	return all, nil
}

func printPresets(a *cli.App, all Presets, long bool) error {
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "comparisons: unchoke ab --lab NAME")
	for _, c := range all.Comparisons {
		fmt.Fprintf(w, "  %s\t%s\n", c.Name, c.About)
		if long {
			details(w, c)
		}
	}
	fmt.Fprintln(w, "\nsweeps: unchoke lab run NAME")
	for _, s := range all.Sweeps {
		fmt.Fprintf(w, "  %s\t%s\n", s.Name, s.About)
	}
	return w.Flush()
}

// details are a comparison's path and the figures that it is held against.
func details(w *tabwriter.Writer, c comparisonPreset) {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "  \t  %s: %s\n", label, text)
		}
	}
	line("path", c.Path)
	line("near", strings.Join(c.NearSysctl, ", "))
	line("far", strings.Join(c.FarSysctl, ", "))
	line("arms", strings.Join(c.Arms, " ")+", "+c.Direction)
	line("reported", c.Said)
	line("source", c.Source)
	for _, text := range c.Assumed {
		line("assumed", text)
	}
}
