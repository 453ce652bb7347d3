package rules

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/theory"
)

// ShallowBuffer: the bottleneck loses nothing that comes evenly, and its queue
// is too short for what a window-based sender sends in bursts: the sender
// overflows it long before the path is full.
func ShallowBuffer(v *view.View) *finding.Finding {
	if !backsOff(v) || v.Losses.Real == 0 {
		return nil
	}
	if v.Reordered() || v.RandomLossExplains() || v.Regrows() && v.EndsNearFull() {
		return nil
	}
	// The stream fills the path, whose own rate is lower at times; or the queue that is full
	// is its own host's, and dropped little of what was lost.
	if v.FillsAsItIs() || v.OnlyOutages() || hosts.LostBeyond(v) > 0 {
		return nil
	}
	own, beside, known := v.Wait()
	managed := v.Isolated()
	speck := known && isSpeck(v, beside)
	if v.Enough() && len(v.Stalls) == 0 && !(speck && v.Losses.Steady > 0) {
		return nil // a third more is not to be had
	}
	empties := v.OthersBehind() || v.Idle.High-v.Idle.Low < own // so that an overload fills all of it
	if _, busy := v.Others(); busy && !(known && empties && own < tinyQueue*v.Idle.Mid) {
		return nil
	}
	if _, policed := v.Policer(); policed || v.SharesLimit() && !speck {
		return nil
	}
	if !known || !managed && own > view.ShallowQueue*v.Idle.Mid {
		return nil
	}
	if !managed && v.KeepsClearOf(own) {
		return nil
	}
	_, _, once := v.LostOnce()
	if growsBackSoon(v) && !speck || once && v.HardlyBegun() {
		return nil // slow start ends in any queue
	}
	_, held := v.LossHolds()
	if held && managed {
		return nil // a queue that keeps flows apart need not be the one that drops
	}
	c := silenceConfidence(v)
	if held || v.PerhapsOthers() {
		c = min(c, perhapsOthers)
	}
	if _, outages := v.Interrupted(); outages {
		c = min(c, lostInOutages)
	}
	if v.Regrows() {
		c = min(c, perhapsGrowing)
	}
	if once && !speck {
		c = min(c, lostOnceSure)
	}
	if speck {
		c = min(c, speckSure)
	}
	return ofShallowBuffer(v, own, managed, c)
}

// tinyQueue is the wait in a full queue, as a share of the RTT, below which it is too short
// for this stream as well where others left it empty before: it holds less than a tenth of
// a bandwidth-delay product.
const tinyQueue = 0.1

// isSpeck says that a full queue, in which or beside which packets wait for so many seconds,
// and which keeps no flows apart, holds a few of them, and hardly any of what is under way
// on the path. Then a stream is slow for it though it grows back soon, or shares its fate
// with seven others: it overflows it again and again.
func isSpeck(v *view.View, wait float64) bool {
	return !v.Isolated() && wait < speckOfQueue*v.Idle.Mid && wait*v.Capacity/8 >= float64(2*v.MSS)
}

// speckOfQueue is the wait, as a share of the RTT, below which even the few packets that
// an acknowledgement lets go at once overflow the queue, again and again below the path's
// rate: CUBIC keeps 0.6 to 0.65 of it in the long run, and in the few seconds of a test up
// to 0.75.
const speckOfQueue = 0.05

// speckSure: 5 of 5 kept directions like that gain a third or more with a longer queue.
const speckSure = 0.6

// lostInOutages is the confidence where outages cost the stream a quarter of its time or
// more: what it lost, and how slowly it grows back, may be theirs.
const lostInOutages = 0.5

// perhapsGrowing is the confidence where the queue overflowed in slow start alone, and the
// stream was still speeding up: 2 of 4, the others had most of the path later.
const perhapsGrowing = 0.5

// lostOnceSure is the confidence where nothing was lost since slow start ended: 1 of 5 kept
// directions like that gains by a longer queue, the others filled the path later.
const lostOnceSure = 0.4

// ofShallowBuffer is the finding that a queue overflows early: a full one waits
// so many seconds, or is managed to be short.
func ofShallowBuffer(v *view.View, own float64, managed bool, confidence float64) *finding.Finding {
	what := fmt.Sprintf("holds %s, a fraction of the %s that are under way on this path", words.Size(own*v.Capacity/8), words.Size(v.BDP()))
	if managed {
		what = "drops early to keep the delay short (an AQM such as CoDel)"
	}
	even := ""
	if v.Base.N > 0 { // some were sent below the path's rate
		arrive := "all arrive"
		if v.Base.K > 0 {
			arrive = "arrive but for " + words.Percent(v.Base.Mean())
		}
		even = fmt.Sprintf("Packets sent evenly %s, up to %s. ", arrive, words.Rate(v.Capacity))
	}
	queue := []finding.Evidence{
		{What: "wait in the full queue", Value: own, Unit: finding.Seconds},
		{What: "queue at the bottleneck", Value: own * v.Capacity / 8, Unit: finding.Bytes},
		{What: "bandwidth-delay product", Value: v.BDP(), Unit: finding.Bytes},
	}
	if own <= 0 {
		queue = queue[2:] // how long it is is not known
	}
	return &finding.Finding{
		Cause:      finding.ShallowBuffer,
		Confidence: confidence,
		Severity:   v.Shortfall() * v.Limits.Network,
		Summary: even + fmt.Sprintf("The queue at the bottleneck %s, so a stream's bursts overflow it long before the path is full: one stream gets %s of %s.",
			what, words.Rate(v.Rate), words.Rate(v.Capacity)),
		Evidence: evenlySent(v, queue...),
		Remedies: []finding.Remedy{
			sendEvenly(v),
			{
				What:  "Where the router at the bottleneck is yours: give its queue about a bandwidth-delay product, or shape to just below its rate with an AQM there.",
				Where: finding.Network,
			},
		},
	}
}

// evenlySent is the evidence that what comes evenly arrives, with more of it, and what
// the stream, which comes in bursts, lost.
func evenlySent(v *view.View, more ...finding.Evidence) []finding.Evidence {
	return slices.Concat(words.RateEvidence(v), []finding.Evidence{
		{What: "UDP packets sent below the ceiling", Value: float64(v.Base.N), Unit: finding.Count},
		{What: "of them lost", Value: float64(v.Base.K), Unit: finding.Count},
	}, more, words.RetransmitEvidence(v))
}

func sendEvenly(v *view.View) finding.Remedy {
	return finding.Remedy{
		What:  "Send evenly instead of in bursts: BBR paces its packets at the rate of the path, and fq as the sender's queue paces those of other algorithms. It acts on new connections.",
		Where: finding.Sender,
		Host:  v.Sender(),
	}.By(finding.UseCC("bbr"))
}

// silenceConfidence is how sure it is that no random loss was overlooked: UDP's
// silence bounds it, and with it what it would leave of the rate.
func silenceConfidence(v *view.View) float64 {
	if v.Moves() {
		return 0.5 // others' queue makes the RTT what it is
	}
	switch most := theory.CubicRate(v.Idle.Mid, v.Base.High(), v.MSS); {
	case v.Base.N == 0:
		return 0.4
	case most > v.Rate:
		return 0.9
	case most > v.Rate/view.ModelSpread:
		return 0.8
	}
	return 0.75 // few packets bound it; 6 of 7 were right all the same
}
