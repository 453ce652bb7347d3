package tui

import (
	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// page is one flow's. It keeps what it shows, so that a flow that has closed and
// was forgotten stays readable.
type page struct {
	flow   *live.Flow // nil: none was opened yet
	series *table.Series
	points []table.Point
	gone   bool // the flow is in no snapshot any more: nobody saw its end, or a filter took it out
	top    int  // the first line on the screen
	whole  bool // charts show the whole history, else a column an interval
}

func openPage(f *live.Flow, k *table.Keeper) page {
	k.Pin(f.ID)
	p := page{flow: f, series: k.Series(f.ID)}
	p.points = p.series.Points()
	return p
}

// refresh takes the flow's newest figures.
func (p *page) refresh(k *table.Keeper, flows []*live.Flow) {
	if p.flow == nil {
		return
	}
	found := false
	for _, f := range flows {
		if f.ID == p.flow.ID {
			p.flow, found = f, true
			break
		}
	}
	p.gone = !found && !p.flow.Closed
	if s := k.Series(p.flow.ID); s != nil {
		p.series = s
	}
	p.points = p.series.Points()
}

// over says that nothing more is told of the flow.
func (p *page) over() bool { return p.flow.Closed || p.gone }

// command is the next one to run, on one line.
func (p *page) command() string {
	if p.flow == nil {
		return ""
	}
	return clean(p.flow.Next)
}

// scroll moves by lines; last is the highest first line.
func (p *page) scroll(by, last int) { p.top = max(min(p.top+by, last), 0) }
