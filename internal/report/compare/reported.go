package compare

import (
	"slices"

	"unchoke/internal/compare"
	"unchoke/internal/lab/preset"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/stats"
)

// Reported are the figures that somebody else gave for the arms.
type Reported struct {
	Preset  string           `json:"preset"` // the lab path on which ours were measured
	Path    string           `json:"path"`
	Source  string           `json:"source"`
	Said    string           `json:"said"` // its words for what it measured
	Assumed []string         `json:"assumed"`
	Arms    []ReportedFigure `json:"arms"` // in the order of the comparison's
}

// ReportedFigure is a source's, for one arm: a range, whose ends are equal
// where it gave a single number; absent where it gave none.
type ReportedFigure struct {
	Rate  stats.Interval `json:"rate_bps,omitzero"`
	Ratio stats.Interval `json:"ratio,omitzero"` // over the baseline
}

// OnPreset is a comparison that ran on a lab preset's path: it is repeated
// there and, where the arms are the preset's too, stands beside what the
// preset's source reported.
func (c Report) OnPreset(p preset.Preset) Report {
	words := []string{"--lab", p.Name}
	if given := presetArms(p); slices.Equal(given, c.treatments()) {
		c.Reported = &Reported{Preset: p.Name, Path: p.Path, Source: p.Claim.Source, Said: p.Claim.Said, Assumed: render.OrEmpty(p.Assumed)}
		for _, f := range p.Claim.Arms {
			c.Reported.Arms = append(c.Reported.Arms, ReportedFigure(f))
		}
	} else {
		for _, arm := range c.Arms {
			words = append(words, "--arm", arm.Name)
		}
	}
	if n := c.Config.Neighbor; n != nil {
		words = append(words, "--neighbor", compare.FormatArm(*n))
	}
	if c.Config.Duration != p.Duration.Seconds() || c.Config.Omit != p.Omit.Seconds() {
		words = append(words, "--duration", render.Duration(c.Config.Duration), "--omit", render.Duration(c.Config.Omit))
	}
	c.Command = commandLine(words, c.Config)
	return c
}

// treatments are the arms without their names.
func (c Report) treatments() []record.Arm {
	out := slices.Clone(c.Arms)
	for i := range out {
		out[i].Name = ""
	}
	return out
}

// presetArms are a preset's arms as a comparison has them, without names.
func presetArms(p preset.Preset) []record.Arm {
	var out []record.Arm
	for _, text := range p.Arms {
		arm, err := compare.ParseArm(text)
		if err != nil {
			return nil
		}
		arm.Direction, arm.Name = record.Direction(p.Direction), ""
		out = append(out, arm)
	}
	return out
}

// reported is the source's figure for an arm; zero where there is none.
func (c Report) reported(arm int) ReportedFigure {
	if c.Reported == nil || arm >= len(c.Reported.Arms) {
		return ReportedFigure{}
	}
	return c.Reported.Arms[arm]
}

// reportedRatio is the source's own ratio or, where it gives none, the one
// that follows from its rates.
func (c Report) reportedRatio(arm int) stats.Interval {
	base, own := c.reported(0), c.reported(arm)
	if arm == 0 || own.Ratio != (stats.Interval{}) || base.Rate.Low <= 0 || own.Rate.High <= 0 {
		return own.Ratio
	}
	return stats.Interval{Low: own.Rate.Low / base.Rate.High, High: own.Rate.High / base.Rate.Low}
}
