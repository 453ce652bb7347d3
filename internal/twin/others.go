package twin

import (
	"unchoke/internal/diagnose"
	"unchoke/internal/path"
)

// othersIn says in which direction others share the bottleneck. The RTT, by which they
// are known, is both ways': where a stream fills one of them and not the other, it is in
// the other that others are.
func othersIn(up, down diagnose.Figures) (inUp, inDown bool) {
	if up.Shared && down.Shared && fills(up) != fills(down) {
		return !fills(up), !fills(down)
	}
	return up.Shared, down.Shared
}

// fills says that nothing had more of the bottleneck than one stream: neither UDP, which
// does not give way, nor eight streams.
func fills(f diagnose.Figures) bool {
	return f.One != nil && f.Rate > allOfIt*f.Capacity && (f.Eight == nil || f.Eight.SteadyRate < noMore*f.Rate)
}

// allOfIt: a stream loses so much at the most to its own start and to what it resends.
const allOfIt = 0.85

// crossing lists what others there may be, all that the diagnosis knows being
// that there are some. With n other streams one has C/(1+n), eight 8C/(8+n).
// UDP that does not give way leaves a slower line: that is in Rate.
func (w *Way) crossing() {
	for _, text := range []string{"1xcubic", "2xcubic", "3xcubic", "4xcubic", "6xcubic", "1xbbr", "2xbbr", "3xbbr"} {
		w.Cross = append(w.Cross, crossOf(text))
	}
	f := w.figures
	least, most := f.Rate, w.Rate.Value
	if f.Eight != nil {
		least = min(f.Eight.SteadyRate, least)
		if f.Eight.SteadyRate > f.Rate {
			most *= 2 // others hold UDP down as well: the line is faster than what arrived
		}
	}
	w.Rate.Low, w.Rate.High = min(w.Rate.Low, least), max(w.Rate.High, most)
}

// constant has others who send at one rate, whatever they meet: that is known as the line's
// rate is, from which both were read.
func (w *Way) constant(frame float64) {
	for _, off := range []float64{1, 1 - constantError, 1 + constantError} {
		w.Cross = append(w.Cross, crossOf(bits(off*w.figures.Constant*frame).String()))
	}
	w.Rate = about(w.figures.Capacity*frame, 1+constantError)
}

// constantError is of both rates: rungs that are off a straight line by more tell of no such
// others (proportionate, in diagnose/view), and headers that are not as supposed.
const constantError = 0.03 + rateError

// narrower is other traffic whose packets are smaller by a share: of TCP the streams stay.
func narrower(c path.Cross, share float64) path.Cross {
	if loads := c.Loads(); len(loads) == 1 && loads[0].UDP > 0 {
		return crossOf(scaled(loads[0].UDP, share).String())
	}
	return c
}

func crossOf(text string) path.Cross {
	p, err := path.Parse("rate=1gbit,cross=" + text)
	if err != nil {
		panic(err) // written here
	}
	return p.Up.Cross
}
