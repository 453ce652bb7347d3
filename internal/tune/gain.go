package tune

import (
	"fmt"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// worthwhile is the least upper end of a predicted gain that is a reason to
// change a host: less than a tenth is within a run's own scatter, and the lab's
// model is off by another.
const worthwhile = 1.2

// predictedNames are how a prediction's arms begin that try a kind of change.
var predictedNames = map[finding.Kind]string{
	finding.KindCC:            "cc=" + bbr,
	finding.KindSendBuffer:    "send buffer ",
	finding.KindReceiveBuffer: "receive buffer ",
	finding.KindPace:          "fq maxrate ",
}

// predicted is what copies of the path did with a kind of change; ok is false
// where it was not tried.
func (w *Way) predicted(kind finding.Kind) (p record.Predicted, ok bool) {
	name, known := predictedNames[kind]
	if !known || w == nil {
		return p, false
	}
	for _, p := range w.Predicted {
		if strings.HasPrefix(p.Arm, name) {
			return p, true
		}
	}
	return p, false
}

// gainWords is the predicted gain behind a reason; empty where nothing was tried.
func (w *Way) gainWords(kind finding.Kind) string {
	p, ok := w.predicted(kind)
	if !ok {
		return ""
	}
	words := fmt.Sprintf("; copies of this path carry %s with it [%s–%s], %.3g times as much as now", rate(p.Rate), rate(p.Low), rate(p.High), p.Gain)
	if now, shorter := w.shortens(p); shorter {
		words += fmt.Sprintf(", and have an RTT of %s under load in place of %s", unit.HumanTime(p.RTT), unit.HumanTime(now.RTT))
	}
	return words
}

// shortens says that copies of a path with bufferbloat have a far shorter RTT under load
// with a change, and what they have now.
func (w *Way) shortens(p record.Predicted) (now record.Predicted, shorter bool) {
	now, ok := record.NowOf(w.Predicted, p.Direction)
	return now, ok && w.has(finding.Bufferbloat) && p.Shortens(now)
}

// gainless says that copies of the path were tried with a kind of change, and
// that none of them gained what is worth it: rate, or where a queue stands, delay.
func (n *needs) gainless(kind finding.Kind, w *Way, what string) bool {
	p, ok := w.predicted(kind)
	if !ok || p.GainHigh >= worthwhile {
		return false
	}
	if _, shorter := w.shortens(p); shorter {
		return false
	}
	command := ""
	if kind == finding.KindCC {
		command = "unchoke tune plan --remedy bbr"
	}
	n.note("prediction", command, "%s is not planned: copies of this path gain nothing by it (%s with it, %.3g times as much as now).", what, rate(p.Rate), p.Gain)
	return true
}
