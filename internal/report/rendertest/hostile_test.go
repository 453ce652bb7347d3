package rendertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"unchoke/internal/compare"
	"unchoke/internal/finding"
	"unchoke/internal/lab/analysis"
	"unchoke/internal/live"
	"unchoke/internal/live/table"
	"unchoke/internal/path"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	comparereport "unchoke/internal/report/compare"
	labreport "unchoke/internal/report/lab"
	planreport "unchoke/internal/report/plan"
	predictreport "unchoke/internal/report/predict"
	"unchoke/internal/report/render"
	"unchoke/internal/report/rendertest"
	vantagereport "unchoke/internal/report/vantage"
	watchreport "unchoke/internal/report/watch"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
	"unchoke/internal/twin"
	"unchoke/internal/vantage"
)

// hostile is what a far end, a record or a file name could contain: all control
// characters (C0, DEL, C1), what turns or hides text, lines of its own, markdown
// and HTML.
var hostile = func() string {
	var b strings.Builder
	b.WriteString("evil")
	for r := range rune(0x20) {
		b.WriteRune(r)
	}
	for r := rune(0x7f); r < 0xa0; r++ {
		b.WriteRune(r)
	}
	for _, r := range []rune{0xad, 0x200b, 0x200e, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069, 0xfeff, 0xe000, 0xe0041} {
		b.WriteRune(r)
	}
	b.WriteString("\x1b[31m\x1b]0;title\a \xff\xfe ``` | ` ![i](javascript:alert) [l](javascript:alert) <script>alert(1)</script> \"'><img src=x onerror=alert(1)> **bold** ~~x~~ </title></style>")
	for _, line := range []string{"INJECTED", "# INJECTED", "- INJECTED", "1. INJECTED", "> INJECTED", "hint: INJECTED", "```", "| INJECTED | INJECTED |", "    INJECTED"} {
		b.WriteString("\n" + line)
	}
	return b.String()
}()

// words are of the types whose words a report knows: for each type one at a
// time takes every word, the others their first.
var words = []struct {
	of   reflect.Type
	list []string
}{
	{reflect.TypeFor[record.Direction](), []string{"up", "down"}},
	{reflect.TypeFor[record.Protocol](), []string{"tcp", "udp"}},
	{reflect.TypeFor[finding.Cause](), []string{"loss-limited", "healthy", "unclear", "receive-window"}},
	{reflect.TypeFor[finding.Unit](), []string{"bit/s", "s", "ratio", "bytes", "count"}},
	{reflect.TypeFor[finding.Where](), []string{"sender", "receiver", "network"}},
	{reflect.TypeFor[tune.Kind](), []string{"sysctl", "file", "qdisc", "route", "module"}},
	{reflect.TypeFor[tune.When](), []string{"now", "boot"}},
	{reflect.TypeFor[outcome.Result](), []string{"tried", "unchanged", "confirmed", "applied", "reverted"}},
	{reflect.TypeFor[outcome.Phase](), []string{"kept", "idle", "tried", "trying"}},
	{reflect.TypeFor[outcome.Holding](), []string{"changed", "held", "gone"}},
	{reflect.TypeFor[compare.Answer](), []string{"faster", "unclear", "unstable"}},
	{reflect.TypeFor[compare.Stop](), []string{"firm", "interrupted"}},
	{reflect.TypeFor[vantage.Kind](), []string{"between", "place", "way", "beyond", "target", "unclear"}},
	{reflect.TypeFor[analysis.Side](), []string{"receive", "send"}},
	{reflect.TypeFor[analysis.Axis](), []string{"loss_ratio", "jitter_rtt_ratio"}},
	{reflect.TypeFor[analysis.Answer](), []string{"unclear", "other"}},
	{reflect.TypeFor[path.Order](), []string{"free", "keep"}},
	{reflect.TypeFor[path.Tunnel](), []string{"wireguard"}},
	{reflect.TypeFor[path.Dist](), []string{"normal"}},
}

// vocabularies are ways to choose a word for each type; nil leaves the words to
// whoever wrote the record.
func vocabularies() []map[reflect.Type]string {
	first := map[reflect.Type]string{}
	for _, w := range words {
		first[w.of] = w.list[0]
	}
	all := []map[reflect.Type]string{nil, first}
	for _, w := range words {
		for _, word := range w.list[1:] {
			next := map[reflect.Type]string{}
			maps.Copy(next, first)
			next[w.of] = word
			all = append(all, next)
		}
	}
	return all
}

func filled[T any](known map[reflect.Type]string) T {
	var v T
	rendertest.Fill(&v, hostile, known)
	return v
}

// view is one report in one form.
type view struct {
	name, form string
	write      func(io.Writer, render.Style) error
}

// views are all forms of all reports, of records and documents whose every
// string is hostile.
func views(known map[reflect.Type]string) []view {
	var out []view
	text := func(name string, write func(io.Writer, render.Style) error) {
		out = append(out, view{name, "text", write})
	}
	add := func(name string, r interface {
		Text(io.Writer, render.Style) error
		Markdown(io.Writer) error
		JSON(io.Writer) error
	},
	) {
		text(name, r.Text)
		out = append(out,
			view{name, "markdown", func(w io.Writer, _ render.Style) error { return r.Markdown(w) }},
			view{name, "json", func(w io.Writer, _ render.Style) error { return r.JSON(w) }})
		if h, ok := r.(interface{ HTML(io.Writer) error }); ok {
			out = append(out, view{name, "html", func(w io.Writer, _ render.Style) error { return h.HTML(w) }})
		}
	}
	run, comparison := filled[record.Run](known), filled[record.Comparison](known)
	add("a check", filled[checkreport.Report](known))
	add("a check of a record", checkreport.New(&run))
	add("a comparison", filled[comparereport.Report](known))
	add("a comparison of a record", comparereport.New(&comparison, compare.Analyse(&comparison)))
	add("a prediction", filled[predictreport.Report](known))
	add("a prediction of a twin", predictreport.New(filled[twin.Prediction](known), finding.Unclear))
	add("a comparison of places", filled[vantagereport.Report](known))
	add("a lab report", filled[labreport.Report](known))
	out = append(out, view{"a block", "text", func(w io.Writer, s render.Style) error {
		_, err := io.WriteString(w, string(comparereport.Block(&comparison, 1, s)))
		return err
	}})
	look := filled[live.Snapshot](known)
	for _, by := range append(table.Groupings, "") {
		text("a look, grouped by "+string(by), func(w io.Writer, s render.Style) error {
			return (&watchreport.Text{Order: table.Busiest, Group: by, Explain: 2}).Write(w, &look, s)
		})
	}
	out = append(out, view{"a look", "json", func(w io.Writer, _ render.Style) error { return watchreport.JSON(w, &look) }})
	plan := filled[tune.Plan](known)
	for i := range plan.Changes {
		plan.Changes[i].New = value(plan.Changes[i].Kind)
	}
	text("a plan", func(w io.Writer, s render.Style) error { return planreport.Text(w, plan, s) })
	text("an explanation", func(w io.Writer, s render.Style) error {
		return planreport.ExplanationText(w, filled[tune.Explanation](known), s)
	})
	text("an outcome", func(w io.Writer, s render.Style) error {
		return planreport.OutcomeText(w, filled[outcome.Outcome](known), s)
	})
	text("a verification", func(w io.Writer, s render.Style) error {
		return planreport.VerificationText(w, filled[outcome.Verification](known), s)
	})
	text("a status", func(w io.Writer, s render.Style) error {
		return planreport.StatusText(w, filled[outcome.Status](known), s)
	})
	return out
}

// value is a change's new value as its kind writes it, with hostile words in it.
func value(kind tune.Kind) *string {
	var v any
	switch kind {
	case tune.File:
		v = tune.FileValue{Content: []byte(hostile)}
	case tune.Qdisc:
		v = tune.QdiscValue{Kind: hostile, Leaves: []tune.QdiscValue{{Kind: hostile}}}
	case tune.Route:
		v = tune.RouteValue{CC: hostile}
	default:
		text := hostile
		return &text
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	text := string(b)
	return &text
}

// styles are how a terminal may be.
var styles = []render.Style{{Width: 80}, {Width: 200, Colour: true}}

// ownColour is what render paints with.
var ownColour = regexp.MustCompile("\x1b\\[(1|2|1;31|1;32|1;33|0)m")

func TestNothingForeignGetsOutRaw(t *testing.T) {
	seen := map[string]bool{}
	all := vocabularies()
	if testing.Short() {
		all = all[:3]
	}
	for _, known := range all {
		for _, v := range views(known) {
			for _, style := range styles {
				var b bytes.Buffer
				if err := v.write(&b, style); err != nil {
					t.Errorf("%s as %s: %v", v.name, v.form, err)
					continue
				}
				for _, fault := range faults(v.form, b.String(), style) {
					if fault = fmt.Sprintf("%s as %s: %s", v.name, v.form, fault); !seen[fault] {
						seen[fault] = true
						t.Error(fault)
					}
				}
			}
		}
	}
}

// faults are what foreign text did to a report.
func faults(form, got string, style render.Style) []string {
	var out []string
	if !strings.Contains(got, "evil") {
		out = append(out, "no foreign text in it: the test shows nothing")
	}
	text := got
	if form == "text" && style.Colour {
		text = ownColour.ReplaceAllString(got, "")
	}
	for _, r := range text {
		if r != '\n' && !unicode.IsGraphic(r) && (form != "html" || r != '\t') {
			out = append(out, fmt.Sprintf("%U gets out raw", r))
			break
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for _, own := range []string{"INJECTED", "# INJECTED", "- INJECTED", "1. INJECTED", "> INJECTED", "hint: INJECTED", "| INJECTED"} {
			if form != "html" && strings.HasPrefix(line, own) {
				out = append(out, fmt.Sprintf("foreign text begins a line: %q", line))
			}
		}
	}
	switch form {
	case "json":
		if !json.Valid([]byte(got)) {
			out = append(out, "the document is no JSON")
		}
	case "html":
		for _, markup := range []string{"<script>alert", "<img"} {
			if strings.Contains(got, markup) {
				out = append(out, "markup gets out: "+markup)
			}
		}
		if strings.Count(got, "</title>") > strings.Count(got, "<title>") || strings.Count(got, "</style>") != 1 {
			out = append(out, "an element is closed")
		}
	case "markdown":
		out = append(out, markdownFaults(got)...)
	}
	return out
}

// markdownFaults are what is not escaped outside code.
func markdownFaults(got string) []string {
	var out []string
	plain := withoutCode(withoutFences(got))
	for _, markup := range []string{"<", "](", "**bold", "~~x", "`"} {
		for i, rest := 0, plain; ; {
			at := strings.Index(rest, markup)
			if at < 0 {
				break
			}
			i += at
			if i == 0 || plain[i-1] != '\\' {
				out = append(out, fmt.Sprintf("%q is not escaped: …%q", markup, plain[max(i-30, 0):min(i+30, len(plain))]))
				break
			}
			i++
			rest = plain[i:]
		}
	}
	pipes := 0
	for line := range strings.Lines(plain) {
		if !strings.HasPrefix(line, "|") {
			pipes = 0
			continue
		}
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		if pipes > 0 && n != pipes {
			out = append(out, fmt.Sprintf("a row of %d cells in a table of %d: %q", n-1, pipes-1, line))
		}
		pipes = n
	}
	return out
}

var fence = regexp.MustCompile("^ *(`{3,})[a-z]*$")

// withoutFences removes blocks of code: from a fence to the next as long.
func withoutFences(s string) string {
	var b strings.Builder
	open := ""
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, "\n")
		switch m := fence.FindStringSubmatch(text); {
		case open == "" && m != nil:
			open = m[1]
		case open == "":
			b.WriteString(line)
		case m != nil && strings.TrimLeft(text, " ") == m[1] && len(m[1]) >= len(open):
			open = ""
		}
	}
	return b.String()
}

// withoutCode removes code spans (CommonMark §6.1): from a run of backticks to
// the next run as long.
func withoutCode(s string) string {
	var b strings.Builder
	for s != "" {
		at := strings.IndexByte(s, '`')
		if at < 0 || at > 0 && s[at-1] == '\\' {
			if at < 0 {
				return b.String() + s
			}
			b.WriteString(s[:at+1])
			s = s[at+1:]
			continue
		}
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		b.WriteString(s[:at])
		fence, rest := s[at:at+run], s[at+run:]
		end := -1
		for from := 0; from < len(rest); {
			i := strings.Index(rest[from:], fence)
			if i < 0 {
				break
			}
			i += from
			n := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
			if n == run {
				end = i
				break
			}
			from = i + n
		}
		if end < 0 {
			b.WriteString(fence)
			s = rest
			continue
		}
		s = rest[end+run:]
	}
	return b.String()
}
