package watching

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"sort"
	"strconv"
	"time"

	"unchoke/internal/app/request"
	"unchoke/internal/audit"
	"unchoke/internal/flow"
	"unchoke/internal/hint"
	"unchoke/internal/live"
	"unchoke/internal/probe/echo"
	"unchoke/internal/record"
	"unchoke/internal/watch/follow"
)

// FlowRequest asks why an existing connection of this host is slow. Nothing
// is sent on it.
type FlowRequest struct {
	request.Request // Target is ignored: it is the connection's remote end
	Pick            Pick
	For             time.Duration // how long to look; 0 is FlowTime
	Probe           bool          // also send echo probes to the remote host
}

// FlowTime is how long a connection is looked at, if nobody asks for more or
// less, and its bounds: from fewer seconds nobody tells even from uneven.
const (
	FlowTime      = 10 * time.Second
	LeastFlowTime = 3 * time.Second
	MostFlowTime  = 5 * time.Minute
)

// flowLooks is how many times a connection is looked at, but at most once in
// flowInterval: a check looks at its own streams as often.
const (
	flowLooks    = 1500
	flowInterval = 20 * time.Millisecond
)

// flowTransfer names the connection in its record.
const flowTransfer = "flow"

// Chosen is the connection that a request picks.
type Chosen struct {
	flow    live.Flow
	matched int
	others  []live.Flow // that match as well, the busiest first
	request FlowRequest
}

// Target is the remote end, by which its records are found.
func (c *Chosen) Target() string { return c.flow.Remote.String() }

// String is the connection in few words.
func (c *Chosen) String() string { return flowWords(&c.flow) }

// check refuses times in which nothing would be seen, and those that would fill
// the memory. It refuses filters that no connection passes before it is judged.
func (q FlowRequest) check() error {
	if q.For != 0 && (q.For < LeastFlowTime || q.For > MostFlowTime) {
		return request.Refuse("", "for %v: a connection is looked at for %v to %v", q.For, LeastFlowTime, MostFlowTime)
	}
	if key := q.Pick.Filter.Judged(); key != "" {
		return request.Refuse("unchoke watch lists those that match; name one by its ends, as 'dst 192.0.2.7:443 and sport = 40000'",
			"filter %q: the %s of a connection is not known before the look", q.Pick.Filter, key)
	}
	return nil
}

// Choose finds the connection: of several that match, the one that moves most
// bytes during a first short look; where none moves, the one with most to send.
func Choose(ctx context.Context, q FlowRequest) (*Chosen, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	all, err := q.Pick.look(ctx)
	if err != nil {
		return nil, err
	}
	return choose(q, all)
}

// Check looks at the connection and keeps the record. Where ctx ends early,
// the record is of what was seen until then.
func Check(ctx context.Context, c *Chosen, progress request.Progress) (*record.Run, error) {
	q := c.request
	length := q.For
	if length == 0 {
		length = FlowTime
	}
	run := record.New(c.Target(), q.Version, time.Now())
	run.Config.Budget = length.Seconds()
	run.Near, run.Warnings = audit.Host()
	remote := c.flow.Remote.Addr().Unmap()
	var err error
	if run.Route, err = audit.Route(remote); err != nil {
		run.Warnings = append(run.Warnings, err.Error())
	}
	run.NICs = audit.NICs(run.Route)
	run.Flow = c.record()

	probing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var echoes *echo.Series
	if q.Probe {
		if echoes, err = startFlowProbe(probing, remote); err != nil {
			run.Warnings = append(run.Warnings, "no echo probes: "+err.Error())
		}
	} else {
		run.Skipped = append(run.Skipped, record.Skip{Step: "echo probes", Why: "--probe sends them: the connection was looked at without sending anything"})
	}
	interval := max(length/flowLooks, flowInterval)
	headers := c.readHeaders(run)
	started := time.Now()
	seen, failed := follow.Follow(ctx, follow.Options{
		Local: c.flow.Local, Remote: c.flow.Remote, Device: c.flow.Device, Cookie: c.cookie(),
		Interval: interval, For: length,
		Progress: func(share float64) { progress.OrNone()(share, "look at "+c.String()) },
	})
	run.Flow.Interval = interval.Seconds()
	packets := headers.kept(seen.Begun, run)
	if echoes != nil {
		e := echoes.Stop(echoPatience)
		e.Name, e.Started = flowTransfer, started.Sub(run.Started).Seconds()
		run.Echoes = append(run.Echoes, e)
	}
	if len(seen.Samples) < 2 {
		return nil, tooShort(failed, c)
	}
	run.Flow.Ended, run.Flow.Sends, run.Flow.Interrupted = seen.Ended, seen.Sends, ctx.Err() != nil && !seen.Ended
	t := flowTransferOf(seen, seen.Begun.Sub(run.Started))
	if seen.Sends == sends(&c.flow) { // else it has turned round since the first look
		t.Packets = packets
	}
	run.Transfers = append(run.Transfers, t)
	run.Flow.Unknown = append(run.Flow.Unknown, unknownOf(run.Flow)...)
	if failed != nil {
		run.Error = failed.Error()
		failed = fmt.Errorf("look at %s: %w", c, failed)
	}
	q.Save(run, &run.Warnings)
	return run, failed
}

// tooShort is why nothing was seen of a connection.
func tooShort(failed error, c *Chosen) error {
	switch {
	case failed == nil:
		failed = errors.New("too little time to see anything")
	case errors.Is(failed, errors.ErrUnsupported):
		return hint.With(failed, "connections can be looked at on Linux only")
	}
	return hint.With(fmt.Errorf("look at %s: %w", c, failed), "unchoke watch --once lists the connections that are there")
}

// echoPatience is how long the last echo probe may take.
const echoPatience = time.Second

// flowProbeEvery is the interval of the echo probes: as a check's beside a
// transfer, and less where a probe opens a connection.
const flowProbeEvery = 50 * time.Millisecond

func startFlowProbe(ctx context.Context, to netip.Addr) (*echo.Series, error) {
	return echo.Start(ctx, to, echo.Options{Interval: flowProbeEvery, Port: echo.DiscardPort})
}

// flowTransferOf is what the connection carried, in a record's terms.
func flowTransferOf(seen follow.Seen, after time.Duration) record.Transfer {
	first, last := seen.Samples[0].Info, seen.Samples[len(seen.Samples)-1]
	t := record.Transfer{
		Name: flowTransfer, Direction: record.Down, Protocol: record.TCP, Streams: 1,
		Started: after.Seconds(), Duration: last.At, Retransmits: -1,
		Series: []record.Series{{Stream: 1, Sender: seen.Sends, Samples: seen.Samples}},
	}
	if seen.Sends {
		t.Direction, t.CC = record.Up, seen.CC
		t.Retransmits = int64(last.Info.TotalRetrans - first.TotalRetrans)
	}
	t.Intervals = flow.Intervals([]record.Series{moved(t.Series[0])}, t.Duration, flowSlices)
	t.Rate, t.SteadyRate = t.Goodput(0, 1), t.Goodput(0, 1)
	return t
}

// flowSlices is how many slices a connection is cut into, as a check's transfers
// are.
const flowSlices = 48

// moved is a series of the bytes that moved since the first look: package flow
// counts from a connection's beginning.
func moved(s record.Series) record.Series {
	out := record.Series{Samples: make([]record.Sample, len(s.Samples))}
	for i, x := range s.Samples {
		out.Samples[i] = record.Sample{At: x.At, Bytes: x.Bytes}
	}
	return out
}

// unknownOf says what cannot be known of the connection from this host, and what
// would tell.
func unknownOf(f *record.Flow) []string {
	var out []string
	if !f.Sends {
		out = append(out, "this host receives: what holds the sender back (its program, its send buffer, its congestion window, what it resends and why) shows at the far host; run unchoke check --flow there")
	}
	if f.Process == "" && f.PID == 0 {
		out = append(out, "whose connection it is: the programs of other users take root (CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH)")
	}
	return out
}

// record is the connection in a record's terms.
func (c *Chosen) record() *record.Flow {
	f := &c.flow
	out := &record.Flow{
		Filter: c.request.Pick.String(), Only: f.Only(), Local: f.Local.String(), Remote: f.Remote.String(),
		Socket: f.ID, Device: f.Device, Process: f.Process, PID: f.PID, Unit: f.Unit, Container: f.Container,
		UID: f.UID, Accepted: f.Accepted, Matched: c.matched,
	}
	for i := range c.others {
		o := &c.others[i]
		out.Others = append(out.Others, record.Other{
			Only: o.Only(), Local: o.Local.String(), Remote: o.Remote.String(), Process: o.Process, PID: o.PID,
			Sent: math.Round(sentOf(o)), Received: math.Round(receivedOf(o)),
		})
	}
	return out
}

func (c *Chosen) cookie() uint64 {
	n, _ := strconv.ParseUint(c.flow.ID, 16, 64) // of our own making
	return n
}

// sentOf and receivedOf are rates over the whole first look.
func sentOf(f *live.Flow) float64     { return max(f.SentLately, f.SentRate) }
func receivedOf(f *live.Flow) float64 { return max(f.ReceivedLately, f.ReceivedRate) }

// sends says that more left than arrived, in the first look.
func sends(f *live.Flow) bool { return sentOf(f) >= receivedOf(f) }

// moves is how much a connection moved during the first look, in bit/s.
func moves(f *live.Flow) float64 { return sentOf(f) + receivedOf(f) }

// flowWords are a connection in few words.
func flowWords(f *live.Flow) string {
	text := fmt.Sprintf("%s → %s", f.Local, f.Remote)
	if f.Process != "" {
		text += " of " + f.Process
	}
	return text
}

// mostOthers of those that match as well are listed.
const mostOthers = 8

// choose takes the busiest of those that the request picks.
func choose(q FlowRequest, all []live.Flow) (*Chosen, error) {
	var matching []live.Flow
	for i := range all {
		if f := &all[i]; f.State == "established" && !f.Closed && q.Pick.match(f) {
			matching = append(matching, *f)
		}
	}
	sort.SliceStable(matching, func(i, j int) bool { return compareMoves(&matching[i], &matching[j]) < 0 })
	if len(matching) == 0 {
		return nil, q.Pick.none(all)
	}
	return &Chosen{
		flow: matching[0], matched: len(matching), request: q,
		others: matching[1:min(len(matching), mostOthers+1)],
	}, nil
}

// compareMoves orders the connection first that moved more; where both moved as
// much, as both that stand still do, the one with more to send; then the one that
// moved more before.
func compareMoves(a, b *live.Flow) int {
	return cmp.Or(
		cmp.Compare(moves(b), moves(a)),
		cmp.Compare(waiting(b), waiting(a)),
		cmp.Compare(b.Sent+b.Received, a.Sent+a.Received),
	)
}

// waiting is what a connection has to send or has under way, in bytes.
func waiting(f *live.Flow) uint64 {
	return uint64(f.NotSent) + uint64(f.Unacked)*uint64(f.SegmentSize)
}
