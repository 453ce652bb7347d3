package diagnose

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"unchoke/internal/finding"
)

// Every threshold has one row, with its reason.
func TestThresholdsHaveReasons(t *testing.T) {
	var names []string
	var at []*float64
	for _, th := range Thresholds() {
		if th.Name == "" || slices.Contains(names, th.Name) || slices.Contains(at, th.At) || len(th.Why) < 20 || th.Value() == 0 {
			t.Errorf("%+v, of value %g", th, th.Value())
		}
		names, at = append(names, th.Name), append(at, th.At)
	}
	declared := 0
	for _, room := range []string{"seen/", "view/", "hosts/", "rules/", "rules/ends/", "rules/tunnels/", "amend/", ""} {
		file, err := parser.ParseFile(token.NewFileSet(), room+"thresholds.go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR && vars.Lparen.IsValid() {
				declared += len(vars.Specs)
			}
		}
	}
	if declared != len(at) {
		t.Errorf("%d thresholds are declared, the tables have %d", declared, len(at))
	}
}

// A threshold that is scaled decides, and has its value again afterwards.
func TestScaled(t *testing.T) {
	run := load(t, "testdata/shallow-buffer--forty-packets.json.gz")
	i := slices.IndexFunc(Thresholds(), func(th Threshold) bool { return th.Name == "slow-share" })
	var nothingIsSlow finding.Cause
	slow := Thresholds()[i]
	before := slow.Value()
	slow.Scaled(0, func() { nothingIsSlow = finding.Verdict(Diagnose(run)) })
	if nothingIsSlow != finding.Healthy {
		t.Errorf("where nothing is slow the verdict is %s", nothingIsSlow)
	}
	if after := finding.Verdict(Diagnose(run)); after != finding.ShallowBuffer || slow.Value() != before {
		t.Errorf("afterwards the verdict is %s, slow-share %g", after, slow.Value())
	}
}
