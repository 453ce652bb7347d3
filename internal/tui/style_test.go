package tui

import (
	"image/color"
	"math"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// Text can be read on light terminals and on dark ones: WCAG 2.2 §1.4.3 asks
// for a contrast of 4.5.
func TestContrast(t *testing.T) {
	for _, dark := range []bool{true, false} {
		s := newStyles(dark)
		background := 1.0
		if dark {
			background = 0
		}
		all := append([]lipgloss.Style{s.faint, s.good, s.warn, s.bad, s.chart}, s.limits...)
		for i, style := range all {
			l := luminance(style.GetForeground())
			contrast := (max(l, background) + 0.05) / (min(l, background) + 0.05)
			if contrast < 4.5 {
				t.Errorf("dark %v: style %d has a contrast of %.1f", dark, i, contrast)
			}
		}
	}
}

// luminance is WCAG 2.2's relative luminance.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestBackground(t *testing.T) {
	m, _ := watching(t, 80, 24, 10, 2, Options{})
	dark := m.View().Content
	m = send(m, tea.BackgroundColorMsg{Color: color.White})
	if m.View().Content == dark {
		t.Error("a light terminal has the colours of a dark one")
	}
	if send(m, tea.BackgroundColorMsg{Color: color.Black}).View().Content != dark {
		t.Error("a dark terminal has not its own colours")
	}
}

// What a colour says, words say too: without colours the screens of flows with
// different verdicts still differ.
func TestColourIsNotAlone(t *testing.T) {
	m, _ := watching(t, 80, 24, 0, 0, Options{})
	seen := map[string]finding.Cause{}
	for _, verdict := range []finding.Cause{finding.Healthy, finding.LossLimited, finding.AppLimited, finding.Unclear, live.Watching} {
		f := &live.Flow{ID: "1", Verdict: verdict, Confidence: 0.9}
		row := colour.ReplaceAllString(m.row(choose(80, "rate"), row{flow: f}, false), "")
		if other, ok := seen[row]; ok {
			t.Errorf("%s looks like %s", verdict, other)
		}
		seen[row] = verdict
	}
}
