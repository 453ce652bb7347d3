package twin

import (
	"math"
	"math/rand/v2"

	"unchoke/internal/congestion"
	"unchoke/internal/diagnose"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/internal/theory"
	"unchoke/internal/unit"
)

// Loss is what is lost whatever the rate.
type Loss struct {
	Mean Param // share of the packets; a Low of 0: perhaps none
	// Run is how many packets in a row are lost, in the mean.
	Run Param
	// Bursts is how likely it is that losses come in runs at all.
	Bursts float64
	resent []resent
	// unseen says that packets were counted, and none of them was lost.
	unseen bool
}

// lossOf reads the UDP below the ceiling. Where there was none, the one stream's
// own losses bound it, or its rate at an RTT in seconds.
func lossOf(f diagnose.Figures, rtt float64) Loss {
	k, n := f.Lost, f.Probed
	if f.LostBeyond > 0 {
		k, n = k+f.LostBeyond, n+f.Losses.Segments // nothing of the stream waits behind that queue
	}
	off := f.OffQueue
	k, n = k+int64(math.Round(float64(off.Lost.K)*off.Run)), n+off.Lost.N
	if n == 0 {
		// A stream's own losses may all be those of a queue that slow start filled.
		return Loss{Mean: Param{0, 0, mostOfStream(f, rtt)}, resent: resentBy(f)}
	}
	interval := stats.Binomial(k, n, 0.9)
	l := Loss{Mean: Param{float64(k) / float64(n), interval.Low, interval.High}, resent: resentBy(f), unseen: k == 0}
	losses, runs := f.InRuns, f.Runs
	switch {
	case losses >= 5 && runs == losses:
		l.Run = exactly(1)
	case k > 0 && runs > 0 && losses > runs:
		mean := float64(losses) / float64(runs)
		// A state in which only some packets are lost breaks its run in pieces.
		l.Run, l.Bursts = runsOf(mean), inRuns
	case off.Run > 1.5:
		l.Run, l.Bursts = runsOf(off.Run), inRuns
	case k > 0:
		l.Run, l.Bursts = Param{1, 1.5, 40}, 0.4
	}
	if l.Bursts > 0 && k > 0 {
		// So many events only as there are runs.
		events := max(int64(float64(k)/max(l.Run.Value, 2)), 1)
		wide := stats.Binomial(events, max(n/max(k/events, 1), events), 0.9)
		l.Mean.Low = min(l.Mean.Low, wide.Low)
		l.Mean.High = max(l.Mean.High, min(wide.High, 4*l.Mean.Value))
	}
	if f.LostByTCP > 0 && f.LostByTCP == f.Lost {
		l.Mean.Low = 0 // a stream's own losses may be those of a queue that its first burst filled
	}
	return l
}

// mostOfStream is the most that the one stream may have lost at random: what it resent and
// had to, or, where the sender does not tell, what would leave a stream its rate. One that
// goes by something else keeps it up to mostUnanswered.
func mostOfStream(f diagnose.Figures, rtt float64) float64 {
	switch {
	case f.Losses.Resent >= 0:
		return f.Losses.RealRatio()
	case !congestion.LossBasedOrUnknown(f.CC):
		return mostUnanswered
	}
	return min(theory.CubicLoss(rtt, f.Rate, f.MSS), mostUnanswered)
}

// mostUnanswered is the loss at which BBR gives way as well (theory.BBRRate).
const mostUnanswered = 0.2

// inRuns is how likely it is that losses come in runs where those that were met did.
const inRuns = 0.85

// runsOf is the mean length of runs of which those that were met had a mean.
func runsOf(mean float64) Param { return Param{mean, max(mean*0.7, 1.2), mean * 3} }

// resent are the segments that a TCP transfer sent, and sent again.
type resent struct{ again, sent float64 }

// resentBy are the transfers of a direction whose senders tell what they resent.
func resentBy(f diagnose.Figures) []resent {
	var out []resent
	for _, t := range []*record.Transfer{f.One, f.Eight} {
		if t != nil && t.Retransmits >= 0 && f.MSS > 0 {
			again := float64(t.Retransmits)
			out = append(out, resent{again, t.Rate*t.Duration/8/float64(f.MSS) + again})
		}
	}
	return out
}

// most is the largest mean that the streams allow where losses come in runs of a
// length: what is lost at random is resent, whatever else is. Where the network
// treats UDP worse, UDP's loss is above that. A run counts as one loss.
func (l Loss) most(run float64) float64 {
	most := 1.0
	for _, x := range l.resent {
		if n := int64(x.sent / max(run, 1)); n > 0 {
			k := min(int64(math.Ceil(x.again/max(run, 1))), n)
			most = min(most, stats.Binomial(k, n, 0.95).High)
		}
	}
	return most
}

// likeliest is the loss as it was counted.
func (l Loss) likeliest() path.Loss {
	if l.Bursts > 0.5 {
		return bursts(min(l.Mean.Value, l.most(l.Run.Value)), l.Run.Value)
	}
	return path.Loss{P: ratio(min(l.Mean.Value, l.most(1)))}
}

// draw is one loss that the record allows.
func (l Loss) draw(r *rand.Rand) path.Loss {
	u, v, w := r.Float64(), r.Float64(), r.Float64()
	switch {
	case l.Mean.High == 0:
		return path.Loss{}
	case l.Mean.Low == 0 && u < 0.5:
		return path.Loss{} // none was seen: there may be none
	case l.Mean.Low == 0:
		high := min(l.Mean.High, l.most(1))
		p := Param{0, high / 30, high}.at(v)
		if l.unseen && r.Float64() > math.Exp(-stats.RuleOfThree*p/high) {
			return path.Loss{} // it would have shown
		}
		return path.Loss{P: ratio(p)}
	case u < l.Bursts:
		run := l.Run.at(w)
		return bursts(min(l.Mean.at(v), l.most(run)), run)
	}
	return path.Loss{P: ratio(min(l.Mean.at(v), l.most(1)))}
}

// bursts is Gilbert–Elliott loss with a mean and a mean length of its runs, all
// lost in the bad state: mean = P/(P+R), length = 1/R.
func bursts(mean, length float64) path.Loss {
	length = max(length, 1)
	p := mean / (1 - min(mean, 0.9)) / length
	return path.Loss{Burst: true, P: ratio(p), R: ratio(1 / length), Bad: 1}
}

func ratio(p float64) unit.Ratio { return unit.Ratio(unit.Significant(min(p, 1), 2)) }
