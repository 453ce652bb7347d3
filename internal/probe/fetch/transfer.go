package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/linux/netstat"
	"unchoke/internal/record"
	"unchoke/iperf3"
	"unchoke/tcpinfo"
)

// order is a transfer to make.
type order struct {
	name        string
	connections int
	time        time.Duration
	bytes       int64 // that may be received, of all connections
	again       bool  // a body that ends early is asked for again
	protocol    protocol
	mss         int
	address     int  // index into the place's
	aside       bool // not one of the run's transfers
}

// Reasons for which a transfer ends.
var (
	errTime  = errors.New("time is up")
	errBytes = errors.New("no more may be received")
	errStill = errors.New("nothing came any more")
)

// transfer reads over some connections at once and puts what it saw in the
// record. It returns the transfer, which is nil where no connection got
// anything.
func (f *fetcher) transfer(ctx context.Context, o order) *record.Transfer {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	streams := make([]*stream, o.connections)
	for i := range streams {
		streams[i] = f.newStream(i, o)
	}
	cpu, counters := iperf3.MeasureCPU(), netstat.TCPExt()
	echoes := f.startEcho(ctx)
	start, began := time.Now(), f.elapsed()
	var reading sync.WaitGroup
	over := make(chan struct{})
	for _, s := range streams {
		reading.Go(func() { s.run(ctx, start, o.again) })
	}
	go func() { reading.Wait(); close(over) }()
	series := follow(cancel, over, start, streams, o)
	<-over
	duration := time.Since(start)
	t := record.Transfer{
		Name: o.name, Direction: record.Down, Protocol: record.TCP, Streams: o.connections, MSS: o.mss,
		Started: began.Seconds(), Duration: duration.Seconds(), Retransmits: -1,
		Series: series, CPUNear: cpu().Total, Counters: netstat.Since(counters, netstat.TCPExt()),
	}
	if e := echoes.stop(o.name, f.rtt); e != nil && !o.aside {
		f.run.Echoes = append(f.run.Echoes, *e)
	}
	for _, s := range streams {
		f.fetch.Bytes += s.close()
		if !o.aside {
			f.fetch.Streams = append(f.fetch.Streams, s.record(o.name))
		}
	}
	t.Intervals = flow.Intervals(t.Series, t.Duration, intervalCount)
	t.Rate, t.SteadyRate = t.Goodput(0, 1), flow.Goodput(t.Goodput).Steady()
	if t.Rate == 0 {
		return nil
	}
	if !o.aside {
		f.run.Transfers = append(f.run.Transfers, t)
	}
	if t.CPUNear > busyCPU {
		f.run.Warnings = append(f.run.Warnings, fmt.Sprintf("reading and TLS kept a core of this host %.0f %% busy during %s: its rate may be the core's limit", 100*t.CPUNear, o.name))
	}
	return &t
}

const (
	intervalCount = 48  // slices of a transfer, as of any check
	busyCPU       = 0.9 // of a core: the rate may be the core's
)

// follow samples the connections until all are over, and ends them when time,
// bytes or patience are.
func follow(cancel context.CancelCauseFunc, over <-chan struct{}, start time.Time, streams []*stream, o order) []record.Series {
	series := make([]record.Series, len(streams))
	end := time.NewTimer(o.time)
	defer end.Stop()
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	moved, before := time.Now(), int64(0)
	for ended := false; !ended; {
		select {
		case <-over:
			ended = true
		case <-end.C:
			cancel(errTime)
		case <-tick.C:
		}
		at := time.Since(start).Seconds()
		received, coming := int64(0), int64(0)
		for i, s := range streams {
			x := record.Sample{At: at, Bytes: s.bytes.Load(), Info: s.info()}
			series[i].Stream = i + 1
			if x.Info.Length > 0 {
				series[i].Samples = append(series[i].Samples, x)
			}
			n, more := underWay(x)
			received += n
			if !s.ranged { // who asks for a part gets no more
				coming += more
			}
		}
		if received > before {
			moved, before = time.Now(), received
		}
		switch {
		case received+coming >= o.bytes:
			cancel(errBytes)
		case time.Since(moved) > stillness:
			cancel(errStill)
		}
	}
	return series
}

// underWay is what a connection has received, and what may come yet however soon
// it is closed: this host's window.
func underWay(x record.Sample) (received, coming int64) {
	if !x.Info.Has(tcpinfo.FieldBytesReceived) {
		return x.Bytes, blindWindow
	}
	window := int64(x.Info.RcvWnd)
	if !x.Info.Has(tcpinfo.FieldRcvWnd) {
		window = 2 * int64(max(x.Info.RcvSpace, x.Info.RcvSsthresh))
	}
	return int64(x.Info.BytesReceived), window
}

// blindWindow is what may be under way where TCP does not tell: Linux's largest
// receive buffer by default (tcp_rmem).
const blindWindow = 6 << 20

// stream is one connection of a transfer.
type stream struct {
	*connection
	index    int
	from, to int64 // what it asks for; to is -1 for the whole
	length   int64 // of the whole file
	ranged   bool  // it asks for parts
	allowed  int64 // bytes of bodies, of all requests

	bytes    atomic.Int64
	requests int
	body     time.Duration // when the first bytes were there, since the transfer began
	first    [3]float64    // connect, TLS, first byte: of the first request
	ended    time.Duration
	end      record.End
	err      error
	proto    string
	total    int64 // received, once closed
}

// newStream gives a connection its part of the file, where the server has
// parts: apart from the others', and no longer than what may be received.
func (f *fetcher) newStream(i int, o order) *stream {
	// Headers and TLS come on top of the body: a thirtieth is more.
	share := o.bytes / int64(o.connections)
	s := &stream{index: i, to: -1, length: f.fetch.Length, allowed: max(share-share/30-16<<10, 1)}
	s.connection = f.connect(f.at, f.at.addresses[o.address], o.protocol, o.mss)
	if f.fetch.Ranges != record.RangesServed || f.fetch.Length <= 0 {
		return s
	}
	s.ranged = true
	n := int64(o.connections)
	s.from = f.fetch.Length / n * int64(i)
	end := f.fetch.Length
	if i+1 < o.connections {
		end = f.fetch.Length / n * int64(i+1)
	}
	s.to = min(end, s.from+s.allowed) - 1
	if s.from == 0 && s.to == f.fetch.Length-1 {
		s.to = -1 // the whole: asked for as anybody does
	}
	return s
}

// run reads until ctx ends, or the body does.
func (s *stream) run(ctx context.Context, start time.Time, again bool) {
	buf := make([]byte, 256<<10)
	defer func() { s.ended = time.Since(start) }()
	for s.requests = 1; ; s.requests++ {
		n, err := s.once(ctx, start, buf)
		if left := s.allowed - s.bytes.Load(); err == nil && again && n > 0 && left > 0 && ctx.Err() == nil {
			if s.ranged {
				s.to = min(s.bound(), s.from+left) - 1
			}
			continue
		}
		s.finish(ctx, err)
		return
	}
}

// bound is where its part of the file ends.
func (s *stream) bound() int64 {
	if s.to < 0 {
		return s.length
	}
	return s.to + 1
}

// once makes a request and reads its body.
func (s *stream) once(ctx context.Context, start time.Time, buf []byte) (total int64, err error) {
	r, err := s.get(ctx, s.from, s.to)
	if err != nil {
		return 0, &noAnswer{err}
	}
	defer r.Body.Close()
	if s.requests == 1 {
		s.proto = r.Proto
		s.first[0], s.first[1], s.first[2] = s.steps()
	}
	if r.StatusCode != 200 && r.StatusCode != 206 {
		return 0, &noAnswer{fmt.Errorf("the server answers %d", r.StatusCode)}
	}
	for {
		n, err := r.Body.Read(buf)
		if n > 0 && s.bytes.Load() == 0 {
			s.body = time.Since(start)
		}
		s.bytes.Add(int64(n))
		total += int64(n)
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		if s.ranged && s.bytes.Load() > s.allowed || !s.ranged && s.bytes.Load() >= s.allowed-min(s.allowed/2, blindWindow) {
			return total, errBytes // what is in this host's buffer has come too
		}
	}
}

// noAnswer is a request that was not answered with the file.
type noAnswer struct{ error }

func (e *noAnswer) Unwrap() error { return e.error }

// finish says why the reading ended.
func (s *stream) finish(ctx context.Context, err error) {
	_, refused := errors.AsType[*noAnswer](err)
	switch cause := context.Cause(ctx); {
	case err == nil && s.ranged && s.to >= 0 && s.allowed <= s.bytes.Load(), errors.Is(err, errBytes):
		s.end = record.EndOfBytes
	case err == nil:
		s.end = record.EndOfBody
	case errors.Is(cause, errTime), errors.Is(cause, context.Canceled):
		s.end = record.EndOfTime
	case errors.Is(cause, errBytes):
		s.end = record.EndOfBytes
	case errors.Is(cause, errStill):
		s.end = record.EndStalled
	case refused && s.requests > 1: // it served one, and closes after each, as HTTP/1.0 does
		s.end = record.EndOfBody
	case refused:
		s.end, s.err = record.EndRefused, err
	default:
		s.end, s.err = record.EndCut, err
	}
	s.total = s.connection.close()
}

func (s *stream) close() int64 { return s.total }

func (s *stream) record(transfer string) record.FetchStream {
	out := record.FetchStream{
		Transfer: transfer, Stream: s.index + 1, Protocol: s.proto,
		Connect: s.first[0], TLS: s.first[1], FirstByte: s.first[2],
		Body: s.body.Seconds(), Ended: s.ended.Seconds(),
		Bytes: s.bytes.Load(), Requests: s.requests, End: s.end,
	}
	if s.proto == "" {
		out.Connect, out.TLS, out.FirstByte = s.steps()
	}
	if s.err != nil {
		out.Error = bounded(s.err.Error())
	}
	return out
}
