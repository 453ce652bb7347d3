package check

import (
	"bytes"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// A run that saw too little says so in its first line, and does not call a stream slow.
func TestHeadlineSaysWhyItIsUnclear(t *testing.T) {
	over := func(end record.End, streams int) *record.Fetch {
		f := &record.Fetch{Streams: make([]record.FetchStream, streams)}
		f.Streams[0].End = end
		return f
	}
	title := func(c finding.Cause) string { return finding.Of(c).Title }
	for name, c := range map[string]struct {
		cause       finding.Cause
		err         string
		interrupted bool
		fetch       *record.Fetch
		want        string
	}{
		"interrupted":            {finding.Unclear, "TCP, one stream down: iperf3 test with 192.0.2.7:5201: interrupted", true, nil, "the check was interrupted before it could say"},
		"failed":                 {finding.Unclear, "TCP, one stream down: iperf3 test with 192.0.2.7:5201: connection reset", false, nil, "the check failed before it could say"},
		"a short file":           {finding.Unclear, "", false, over(record.EndOfBody, 1), "too little was downloaded to say"},
		"few bytes allowed":      {finding.Unclear, "", false, over(record.EndOfBytes, 1), "too little was downloaded to say"},
		"one connection":         {finding.Unclear, "", false, over(record.EndOfTime, 1), title(finding.Unclear)},
		"several connections":    {finding.Unclear, "", false, over(record.EndOfBody, 5), title(finding.Unclear)},
		"all was measured":       {finding.Unclear, "", false, nil, title(finding.Unclear)},
		"interrupted, and clear": {finding.Healthy, "interrupted", true, nil, title(finding.Healthy)},
	} {
		report := Report{Target: "far", Error: c.err, Interrupted: c.interrupted, Fetch: c.fetch, Verdict: c.cause, Findings: []finding.Finding{{Cause: c.cause, Direction: record.Down}}}
		var text, markdown, page bytes.Buffer
		for _, err := range []error{report.Text(&text, render.Style{Width: 100}), report.Markdown(&markdown), report.HTML(&page)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if want := strings.ToUpper(string(c.cause)) + "  " + c.want + "\n"; !strings.Contains(text.String(), want) {
			t.Errorf("%s: no %q in\n%s", name, want, &text)
		}
		for form, b := range map[string]*bytes.Buffer{"markdown": &markdown, "page": &page} {
			if !strings.Contains(b.String(), render.Capital(c.want)) {
				t.Errorf("%s: the %s does not say %q", name, form, c.want)
			}
		}
	}
}
