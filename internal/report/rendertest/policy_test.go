package rendertest_test

import (
	"bytes"
	"io"
	"regexp"
	"testing"

	"unchoke/internal/report/render"

	checkreport "unchoke/internal/report/check"
	comparereport "unchoke/internal/report/compare"
	labreport "unchoke/internal/report/lab"
	predictreport "unchoke/internal/report/predict"
	vantagereport "unchoke/internal/report/vantage"
)

var (
	styleElements  = regexp.MustCompile(`(?s)<style[^>]*>(.*?)</style>`)
	scriptElements = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
)

// A page's policy allows its own style and script and no others, whatever the
// record says of itself.
func TestPolicies(t *testing.T) {
	for name, r := range map[string]interface {
		HTML(io.Writer) error
		Policy() string
	}{
		"check":      filled[checkreport.Report](nil),
		"comparison": filled[comparereport.Report](nil),
		"prediction": filled[predictreport.Report](nil),
		"vantage":    filled[vantagereport.Report](nil),
		"lab report": filled[labreport.Report](nil),
	} {
		var b bytes.Buffer
		if err := r.HTML(&b); err != nil {
			t.Fatal(err)
		}
		style := styleElements.FindAllSubmatch(b.Bytes(), -1)
		if len(style) != 1 {
			t.Errorf("%s: %d styles", name, len(style))
			continue
		}
		script := ""
		if all := scriptElements.FindAllSubmatch(b.Bytes(), -1); len(all) == 1 {
			script = string(all[0][1])
		} else if len(all) > 1 || name == "lab report" {
			t.Errorf("%s: %d scripts", name, len(all))
		}
		if want := render.Policy(string(style[0][1]), script); r.Policy() != want {
			t.Errorf("%s: its policy %s does not fit what it brings: %s", name, r.Policy(), want)
		}
	}
}
