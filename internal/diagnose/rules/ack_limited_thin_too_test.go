package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// A way back that is too thin for what the path carries is named behind what keeps the
// stream from meeting it, and nowhere else.
func TestThinToo(t *testing.T) {
	v := view.Of(load(t, "testdata/several/congested+ack-limited--one-bbr-on-a-thin-upload.json.gz"), record.Down)
	named := func(causes ...finding.Cause) (all []finding.Finding) {
		for _, c := range causes {
			all = append(all, finding.Finding{Cause: c, Severity: 0.5})
		}
		return all
	}
	if f := ThinToo(v, named(finding.Congested)); f == nil || f.Cause != finding.AckLimited || f.Confidence != thinTooSure {
		t.Fatalf("%+v", f)
	}
	if f := ThinToo(v, named(finding.Healthy)); f != nil {
		t.Error("nothing hides it:", f.Summary)
	}
	if f := ThinToo(v, named(finding.Congested, finding.AckLimited)); f != nil {
		t.Error("named twice:", f.Summary)
	}
	v.Capacity /= 2
	if f := ThinToo(v, named(finding.Congested)); f != nil {
		t.Error("the way back carries as much:", f.Summary)
	}
}
