package score

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/truth"
)

// Print writes the tables as markdown, and each miss with the command that
// repeats it.
func (s Score) Print(w io.Writer) {
	s.confusion(w)
	fmt.Fprintf(w, "\nRight at first sight: %s. Of paths near a line, where two answers are accepted: %s.\n", s.Right.text(), s.Borderline.text())
	fmt.Fprintf(w, "Wrong and at least %.1f sure: %s. Verdict is the cause that gains most: %s.\n", Sure, s.SureWrong.text(), s.MostNamed.text())
	fmt.Fprintf(w, "Several causes, all named: %s. Named beside the verdict and a cause: %s.\n", s.BothNamed.text(), s.Beside.text())
	fmt.Fprintf(w, "Median of a check: %.1f s of wall time, %.1f s of CPU.\n", s.Wall, s.CPU)
	shares(w, "family", s.ByFamily)
	s.confidence(w)
	s.misses(w)
	s.unnamed(w)
}

func (s Share) text() string {
	if s.Of == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", s.N, s.Of, 100*s.Value())
}

func (s Score) confusion(w io.Writer) {
	said := map[finding.Cause]bool{}
	for _, verdicts := range s.Said {
		for v := range verdicts {
			said[v] = true
		}
	}
	columns := slices.Sorted(maps.Keys(said))
	fmt.Fprint(w, "| truth \\ verdict |")
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c)
	}
	fmt.Fprintf(w, " right |\n|---|%s\n", strings.Repeat("---:|", len(columns)+1))
	for _, leading := range slices.Sorted(maps.Keys(s.Said)) {
		fmt.Fprintf(w, "| %s |", leading)
		for _, c := range columns {
			if n := s.Said[leading][c]; n > 0 {
				fmt.Fprintf(w, " %d |", n)
			} else {
				fmt.Fprint(w, " · |")
			}
		}
		fmt.Fprintf(w, " %s |\n", s.ByCause[leading].text())
	}
}

func shares[K ~string](w io.Writer, head string, by map[K]Share) {
	fmt.Fprintf(w, "\n| %s | right |\n|---|---:|\n", head)
	for _, k := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(w, "| %s | %s |\n", k, by[k].text())
	}
}

func (s Score) confidence(w io.Writer) {
	fmt.Fprint(w, "\n| confidence | mean | right |\n|---|---:|---:|\n")
	for _, b := range s.Bins {
		if b.Right.Of > 0 {
			fmt.Fprintf(w, "| %.2f to %.2f | %.2f | %s |\n", b.From, min(b.To, 1), b.Mean, b.Right.text())
		}
	}
	fmt.Fprintf(w, "\nExpected calibration error: %.3f; of so many verdicts chance alone makes %.3f.\n", s.Calibration, s.Chance)
	for _, c := range finding.Certainties {
		fmt.Fprintf(w, "Said to be %s: right in %s.\n", c.Words, s.ByCertainty[c.Words].text())
	}
}

func (s Score) misses(w io.Writer) {
	for _, o := range s.Outcomes {
		if o.Right() {
			continue
		}
		fmt.Fprintf(w, "\n- %s", o.text())
		if o.Said.Error != "" {
			fmt.Fprintf(w, " (%s)", o.Said.Error)
		}
		fmt.Fprintf(w, "\n  %s\n  `%s`\n", o.seenText(), o.Draw.Scene.Command(o.Draw.Lab, "unchoke check far"))
	}
}

// unnamed prints the paths whose verdict is right, and which have causes besides it that
// no finding names.
func (s Score) unnamed(w io.Writer) {
	for _, o := range s.Outcomes {
		if missing := o.unnamed(); o.Right() && len(missing) > 0 {
			fmt.Fprintf(w, "\n- %s, and not %s\n", o.text(), causesText(missing))
		}
	}
}

// text says what the truth is, and what was said.
func (o Outcome) text() string {
	return fmt.Sprintf("%s, %s on %s: the truth is %s; said %s, %.2f sure", o.Draw.Name(), o.Draw.Family, o.Draw.Link, o.truthText(), o.Said.Verdict, o.Said.Confidence())
}

func (o Outcome) truthText() string {
	if len(o.Truth.Causes) == 0 {
		return string(finding.Healthy)
	}
	return causesText(o.Truth.Causes)
}

func causesText(of []truth.Cause) string {
	var causes []string
	for _, c := range of {
		text := fmt.Sprintf("%s %s", joined(c.Words), c.Direction)
		if c.Gain > 0 {
			text += fmt.Sprintf(" (×%.1f without %s)", c.Gain, c.Name)
		}
		causes = append(causes, text)
	}
	return strings.Join(causes, ", ")
}

func joined(words []finding.Cause) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return strings.Join(texts, " or ")
}

func (o Outcome) seenText() string {
	var out []string
	for _, way := range draw.Both {
		seen := o.Truth.Seen[way]
		out = append(out, fmt.Sprintf("%s %.2f of %.2f Mbit/s, RTT %.0f ms idle and %.0f ms under load",
			way, seen.Rate/1e6, o.Draw.Ceiling[way]/1e6, seen.IdleRTT*1e3, seen.LoadRTT*1e3))
	}
	return strings.Join(out, "; ")
}
