//go:build !slim

package labcmd

import (
	"strings"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	"unchoke/internal/lab/preset"
	"unchoke/internal/lab/sweep/language"
	comparereport "unchoke/internal/report/compare"
	"unchoke/internal/report/render"
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
			s := render.NewScreen(a.Style())
			presetLines(s, all, long)
			return s.Flush(a.Stdout)
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

// detailColumns is where a comparison's details begin.
const detailColumns = 4

func presetLines(s *render.Screen, all Presets, long bool) {
	names := 0
	for _, c := range all.Comparisons {
		names = max(names, len(c.Name))
	}
	for _, p := range all.Sweeps {
		names = max(names, len(p.Name))
	}
	about := names + len("    ")
	row := func(name, text string) {
		s.Hang(about, render.Plain, text, render.Plain.Of("  "+render.Pad(name, names)+"  "))
	}
	s.Text("comparisons: unchoke ab --lab NAME")
	for _, c := range all.Comparisons {
		row(c.Name, c.About)
		if long {
			details(s, c)
		}
	}
	s.Text("")
	s.Text("sweeps: unchoke lab run NAME")
	for _, p := range all.Sweeps {
		row(p.Name, p.About)
	}
}

// details are a comparison's path and the figures that it is held against.
func details(s *render.Screen, c comparisonPreset) {
	line := func(label, text string) {
		if text != "" {
			s.Hang(detailColumns+2, render.Plain, text, render.Plain.Of(strings.Repeat(" ", detailColumns)+label+": "))
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
