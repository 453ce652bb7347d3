package twin

import (
	"testing"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
)

// Others whom both ways' RTT shows are in the way that a stream does not fill.
func TestOthersIn(t *testing.T) {
	figures := func(shared bool, rate, capacity, eight float64) diagnose.Figures {
		f := diagnose.Figures{Shared: shared, One: &record.Transfer{}, Rate: rate, Capacity: capacity}
		if eight > 0 {
			f.Eight = &record.Transfer{SteadyRate: eight}
		}
		return f
	}
	for name, c := range map[string]struct {
		up, down     diagnose.Figures
		inUp, inDown bool
	}{
		"the download is full":      {figures(true, 5.7, 8.2, 7.1), figures(true, 60.9, 62.5, 62.5), true, false},
		"so is the upload":          {figures(true, 8.0, 8.2, 8.1), figures(true, 60.9, 62.5, 62.5), true, true},
		"neither is":                {figures(true, 5.7, 8.2, 7.1), figures(true, 20, 62.5, 40), true, true},
		"eight downloads have more": {figures(true, 5.7, 8.2, 7.1), figures(true, 60.9, 62.5, 80), true, true},
		"without eight streams":     {figures(true, 5.7, 8.2, 0), figures(true, 60.9, 62.5, 0), true, false},
		"in one way alone":          {figures(false, 8.0, 8.2, 8.1), figures(true, 60.9, 62.5, 62.5), false, true},
		"one way was not measured":  {diagnose.Figures{}, figures(true, 60.9, 62.5, 62.5), false, true},
		"nobody":                    {figures(false, 5.7, 8.2, 7.1), figures(false, 60.9, 62.5, 62.5), false, false},
	} {
		if inUp, inDown := othersIn(c.up, c.down); inUp != c.inUp || inDown != c.inDown {
			t.Errorf("%s: up %t, down %t", name, inUp, inDown)
		}
	}
}
