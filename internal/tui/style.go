package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// styles are how text stands out. Without colours, bold, faint and reversed
// remain.
type styles struct {
	plain, bold, faint, head, selected lipgloss.Style

	good, warn, bad lipgloss.Style
	// limits are the parts of the stacked bar; their letters tell them apart too.
	limits []lipgloss.Style
	chart  lipgloss.Style
}

// newStyles picks colours of enough contrast for the background: of xterm's 256,
// the dark ones of a hue on light and the light ones on dark. Terminals with
// fewer colours get the nearest.
func newStyles(dark bool) styles {
	pick := func(onLight, onDark string) color.Color {
		return lipgloss.LightDark(dark)(lipgloss.Color(onLight), lipgloss.Color(onDark))
	}
	fg := func(onLight, onDark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(onLight, onDark))
	}
	base := lipgloss.NewStyle()
	return styles{
		plain:    base,
		bold:     base.Bold(true),
		faint:    fg("241", "246"),
		head:     base.Bold(true).Underline(true),
		selected: base.Reverse(true),
		good:     fg("22", "114"),
		warn:     fg("94", "221").Bold(true),
		bad:      fg("124", "210").Bold(true),
		chart:    fg("25", "111"),
		limits:   []lipgloss.Style{fg("25", "111"), fg("94", "221"), fg("90", "183"), fg("22", "114")},
	}
}

// sure is from which confidence a cause is shown as settled.
const sure = 0.7

// verdict is the style of a flow's verdict.
func (s styles) verdict(f *live.Flow) lipgloss.Style {
	switch {
	case f.Closed, f.Verdict == live.Watching, f.Verdict == finding.Unclear, f.Verdict == "":
		return s.faint
	case f.Verdict == finding.Healthy:
		return s.good
	case f.Verdict == finding.AppLimited: // nothing to fix on the network
		return s.plain
	case f.Confidence < sure:
		return s.warn
	}
	return s.bad
}
