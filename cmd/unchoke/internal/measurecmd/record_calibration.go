//go:build !slim

package measurecmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/report/render"
)

// Calibration is what record calibration --json prints.
type Calibration struct {
	Schema string `json:"schema"`
	// Within is how many predicted gains were within a quarter of what was
	// measured, Held how many intervals held it, of Count.
	Count   int                  `json:"count"`
	Within  int                  `json:"within_quarter"`
	Held    int                  `json:"held"`
	Records []usecase.Calibrated `json:"records"` // the newest first
}

func newRecordCalibrationCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "calibration",
		Short: "say how right predictions were on your own paths",
		Long: `Calibration compares what checks predicted with what comparisons then measured.
If a lab kernel is there, a check predicts what each remedy would gain. An ab of
the same target within a day records that prediction beside its own result, for
the arms that try such a remedy against the sender's present setting.`,
		Example: "  unchoke check far && unchoke ab far --arm cc=cubic --arm cc=bbr\n  unchoke record calibration",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := usecase.Store()
			if err != nil {
				return err
			}
			all, unread, err := usecase.Calibration(store)
			if err != nil {
				return err
			}
			a.Warn(unread)
			c := newCalibration(all)
			if asJSON {
				return a.PrintJSON(c)
			}
			return printCalibration(a, c)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cli.AddJSONFlag(cmd, &asJSON)
	return cmd
}

func newCalibration(all []usecase.Calibrated) Calibration {
	c := Calibration{Schema: "unchoke.record.calibration/1", Count: len(all), Records: render.OrEmpty(all)}
	for _, x := range all {
		if x.Held {
			c.Held++
		}
		if x.Predicted <= 1.25*x.Measured && x.Measured <= 1.25*x.Predicted {
			c.Within++
		}
	}
	return c
}

func printCalibration(a *cli.App, c Calibration) error {
	if c.Count == 0 {
		a.Tell("no prediction was put to the test yet: unchoke check TARGET with the lab's kernel, then unchoke ab TARGET with an arm that the check predicted")
		return nil
	}
	columns := []render.Column{
		{Head: "RECORD", Left: true, Spare: true},
		{Head: "TARGET", Left: true},
		{Head: "ARM", Left: true},
		{Head: "PREDICTED"},
		{Head: "NINE OF TEN IN"},
		{Head: "MEASURED", Left: true},
	}
	for _, x := range c.Records {
		measured := render.Times(x.Measured)
		if !x.Held {
			measured += " outside"
		}
		for i, cell := range []string{
			x.Record, x.Target, x.Arm + " " + string(x.Direction), render.Times(x.Predicted),
			render.Times(x.Low) + "–" + render.Times(x.High), measured,
		} {
			columns[i].Cells = append(columns[i].Cells, cell)
		}
	}
	s := render.NewScreen(a.Style())
	s.List(columns)
	s.Text("")
	s.Hang(0, render.Plain, fmt.Sprintf("Of %d predicted gains, %d were within a quarter of what was measured; %d of the intervals held it.", c.Count, c.Within, c.Held))
	return s.Flush(a.Stdout)
}
