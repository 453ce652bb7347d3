package traffic

import (
	"cmp"
	"math"
	"slices"
	"time"

	tcpflow "unchoke/internal/flow"
	"unchoke/tcpinfo"
)

// mark is one read that returned bytes.
type mark struct {
	at    time.Duration // since accept
	bytes int64
}

// look is the sender's TCP_INFO at a moment.
type look struct {
	at   time.Duration // since accept
	info tcpinfo.Info
	// inStats and inSeries tell what it was taken for.
	inStats, inSeries bool
}

// account is what was seen of one flow.
type account struct {
	marks []mark
	looks []look
	// first is the look at Omit, the zero value where nothing is omitted; last
	// is the look at the flow's end.
	first, last tcpinfo.Info
	elapsed     time.Duration // from accept to the receiver's end
	stalled     time.Duration
	cc          string
	failed      string // why the connection was lost; empty where it lasted
}

// rate is the flow's throughput in bits a second, its bytes and the time they
// took, after omit.
func (a account) rate(omit time.Duration) (bits float64, bytes int64, elapsed time.Duration) {
	for _, m := range a.marks {
		if m.at > omit {
			bytes += m.bytes
		}
	}
	elapsed = a.elapsed - omit
	if elapsed > 0 {
		bits = float64(bytes) * 8 / elapsed.Seconds()
	}
	return bits, bytes, elapsed
}

// noRTT is tcpi_min_rtt of a connection that never measured any: all bits set.
const noRTT = math.MaxUint32 * time.Microsecond

// resultOf sums flows up: rates and counts add, times and windows are of all
// flows together.
func resultOf(flows []account, omit time.Duration) Result {
	var r Result
	var rtts, gaps []time.Duration
	var windows []float64
	for _, a := range flows {
		bits, bytes, elapsed := a.rate(omit)
		r.Throughput += bits
		r.Bytes += bytes
		r.Elapsed = max(r.Elapsed, elapsed)
		lost := tcpflow.LossesBetween(a.first, a.last)
		r.Segments += lost.Segments
		r.Retransmits += lost.Resent
		r.Spurious += lost.Spurious
		r.Reordering += lost.ReordSeen
		r.Timeouts += int64(max(tcpflow.Timeouts(a.first, a.last), 0))
		r.Stalled += a.stalled
		r.CC = a.cc
		r.Failed = cmp.Or(r.Failed, a.failed)
		if rtt := a.last.MinRTT; rtt < noRTT && (r.MinRTT == 0 || rtt < r.MinRTT) {
			r.MinRTT = rtt
		}
		for _, l := range a.looks {
			if l.inStats && l.at >= omit {
				rtts = append(rtts, l.info.RTT)
				windows = append(windows, float64(l.info.SndCwnd))
			}
		}
		for k := 1; k < len(a.marks); k++ {
			if a.marks[k].at > omit {
				gaps = append(gaps, a.marks[k].at-a.marks[k-1].at)
			}
		}
	}
	if len(rtts) > 0 {
		r.MeanRTT = time.Duration(math.Round(mean(rtts)))
		r.P95RTT = quantile(rtts, 0.95)
		r.MeanCwnd, r.MinCwnd, r.MaxCwnd = mean(windows), slices.Min(windows), slices.Max(windows)
	}
	if len(gaps) > 0 {
		r.GapP50, r.GapP99, r.GapMax = quantile(gaps, 0.5), quantile(gaps, 0.99), slices.Max(gaps)
	}
	return r
}

// seriesOf is a flow's samples.
func seriesOf(a account) []Sample {
	var series []Sample
	var received int64
	next := 0
	for _, l := range a.looks {
		if !l.inSeries {
			continue
		}
		for next < len(a.marks) && a.marks[next].at <= l.at {
			received += a.marks[next].bytes
			next++
		}
		i := l.info
		series = append(series, Sample{
			At: l.at, Cwnd: i.SndCwnd, Ssthresh: i.SndSsthresh, State: uint8(i.CAState),
			RTT: i.RTT, MinRTT: i.MinRTT,
			Reordering: i.Reordering, ReordSeen: i.ReordSeen, DSACKs: i.DSACKDups,
			Retrans: i.TotalRetrans, Lost: i.Lost, Delivered: i.Delivered,
			Pacing: i.PacingRate / 8, Acked: i.BytesAcked, Received: received,
		})
	}
	return series
}

func mean[T time.Duration | float64](values []T) float64 {
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(len(values))
}

// quantile is the smallest value that a share p of them do not exceed. It
// sorts values.
func quantile(values []time.Duration, p float64) time.Duration {
	slices.Sort(values)
	return values[max(0, int(math.Ceil(p*float64(len(values))))-1)]
}
