package compare

import (
	"strings"

	"unchoke/internal/report/render"
	"unchoke/internal/stats"
)

// ArticlesHead begins the table of which ArticleRows are the rows.
const ArticlesHead = `| preset | arm | reported | ours [95 %] | ours : reported | its ratio | our ratio [95 %] | resent |
|---|---|---:|---:|---:|---:|---:|---:|
`

// ArticleRows are a comparison's arms, each beside what its preset's source
// reported, as rows of a markdown table.
func (c Report) ArticleRows() string {
	var b strings.Builder
	for arm := range c.Arms {
		cells := make([]string, 8)
		if arm == 0 && c.Reported != nil {
			cells[0] = c.Reported.Preset
		}
		cells[1] = c.armName(arm)
		told := c.reported(arm).Rate
		cells[2] = render.RateRange(told)
		if s := c.summary(arm); s != nil {
			cells[3] = render.RateInterval(s.Rate, s.Interval)
			cells[4] = against(s.Rate, told)
			if s.Retransmits >= 0 {
				cells[7] = render.Ratio(s.Retransmits)
			}
		}
		cells[5] = render.RatioRange(c.reportedRatio(arm))
		if k := c.contrast(arm); k != nil {
			cells[6] = render.RatioInterval(k.Ratio, k.Interval)
		}
		b.WriteString(render.MarkdownRow(cells...))
	}
	return b.String()
}

// against holds a rate against a reported range: how far outside it is.
func against(v float64, told stats.Interval) string {
	switch {
	case told.High <= 0:
		return ""
	case told.Low != told.High && told.Contains(v):
		return "within"
	case v < told.Low:
		return render.Times(v / told.Low)
	}
	return render.Times(v / told.High)
}
