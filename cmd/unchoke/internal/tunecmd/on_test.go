//go:build !slim

package tunecmd

import (
	"encoding/json"
	"io"
	"testing"

	"unchoke/internal/app/far"
	planreport "unchoke/internal/report/plan"
	"unchoke/internal/report/render"
	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// FuzzFarDocuments shows whatever a far host may answer.
func FuzzFarDocuments(f *testing.F) {
	value := `"a"`
	for _, change := range []string{
		`{"kind":"sysctl","key":"a","when":"now","old":null,"new":` + value + `,"why":"b"}`,
		`{"kind":"file","key":"/a","when":"boot","old":"null","new":"{}"}`, `{"kind":"qdisc","key":"a","when":"now","old":"null","new":"{\"kind\":\"fq\"}"}`,
		`{"kind":"route","key":"a","when":"now","old":"null","new":"{}"}`, `{"kind":"x"}`,
	} {
		f.Add(`{"schema":"unchoke.tune.plan/1","changes":[` + change + `],"for":{"up":{"causes":["x"]}},"unsupported":{"what":"\u001b[31m"}}`)
		f.Add(`{"schema":"unchoke.tune.outcome/1","outcome":"tried","token":"t","deadline":"2026-01-01T00:00:00Z","changes":[` + change + `],"left":[{"change":` + change + `}]}`)
		f.Add(`{"schema":"unchoke.tune.status/1","phase":"tried","deadline":"2026-01-01T00:00:00Z","items":[{"change":` + change + `,"have":"null","state":"changed"}],"lost":{}}`)
		f.Add(`{"schema":"unchoke.tune.verify/1","phase":"kept","items":[{"change":` + change + `,"state":"gone"}],"wrong":["a"],"connection":{},"sockets":{"old":1}}`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		style := render.Style{Width: 80}
		show := func(into any, report func() error) {
			if far.ReadTuned([]byte(text), into) != nil {
				return
			}
			if err := report(); err != nil {
				t.Error(err)
			}
			if _, err := json.Marshal(into); err != nil {
				t.Error(err)
			}
		}
		var p tune.Plan
		var o outcome.Outcome
		var s outcome.Status
		var v outcome.Verification
		show(&p, func() error { return planreport.Text(io.Discard, p, style) })
		show(&o, func() error { return planreport.OutcomeText(io.Discard, o, style) })
		show(&s, func() error { return planreport.StatusText(io.Discard, s, style) })
		show(&v, func() error { return planreport.VerificationText(io.Discard, v, style) })
	})
}
