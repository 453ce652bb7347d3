//go:build !slim

package measurecmd

import (
	"strings"
	"testing"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/record"
)

// A prediction stands in one line of text, and whether its interval held is part of it.
func TestPrintCalibration(t *testing.T) {
	one := usecase.Calibrated{
		Record: "20261129-000054-99d94c", Target: "far", Arm: "cc=bbr", Direction: record.Up,
		Predicted: 44.4, Low: 30.3, High: 174, Measured: 52.1, Held: true,
	}
	other := one
	other.Measured, other.Held = 12, false
	var out, err strings.Builder
	a := &cli.App{Stdout: &out, Stderr: &err, Terminal: cli.NewTerminal(&out, &err)}
	if err := printCalibration(a, Calibration{Count: 2, Within: 1, Held: 1, Records: []usecase.Calibrated{one, other}}); err != nil {
		t.Fatal(err)
	}
	table, _, _ := strings.Cut(out.String(), "\n\n")
	lines := strings.Split(table, "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[1], "  52.1×") || !strings.HasSuffix(lines[2], "  12.0× outside") {
		t.Errorf("%s", &out)
	}
}
