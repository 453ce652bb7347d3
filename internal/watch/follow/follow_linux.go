package follow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"unchoke/internal/linux/sockdiag"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// Follow looks until the time is over, the connection ends or ctx does, which is
// no error: what was seen is returned. It fails where it could not look at all.
func Follow(ctx context.Context, o Options) (Seen, error) {
	key := sockdiag.Key{Local: o.Local, Remote: o.Remote, Cookie: o.Cookie}
	if o.Device != "" {
		dev, err := net.InterfaceByName(o.Device)
		if err != nil {
			return Seen{}, fmt.Errorf("look at a connection on %s: %w", o.Device, err)
		}
		key.Device = uint32(dev.Index)
	}
	d, err := sockdiag.Open()
	if err != nil {
		return Seen{}, err
	}
	defer d.Close()
	w := &watcher{asks: d, key: key}
	err = w.run(ctx, o)
	if len(w.Samples) == 0 && err != nil {
		return w.Seen, err
	}
	w.count()
	return w.Seen, err
}

// asks is a sockdiag.Dumper, or a test's.
type asks interface {
	One(sockdiag.Key) (*sockdiag.Socket, error)
}

type watcher struct {
	Seen
	asks asks
	key  sockdiag.Key
}

// run takes a look an interval.
func (w *watcher) run(ctx context.Context, o Options) error {
	tick := time.NewTicker(o.Interval)
	defer tick.Stop()
	var told time.Duration
	for {
		err := w.look()
		if errors.Is(err, sockdiag.ErrGone) && len(w.Samples) > 0 {
			w.Ended = true
			return nil
		}
		if err != nil {
			return err
		}
		elapsed := time.Since(w.Begun)
		if o.Progress != nil && elapsed-told >= progressEvery {
			told = elapsed
			o.Progress(float64(elapsed) / float64(o.For))
		}
		if elapsed >= o.For {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// look takes one look. A socket that waits for its end (TIME_WAIT) has no
// TCP_INFO and is gone.
func (w *watcher) look() error {
	s, err := w.asks.One(w.key)
	if err != nil {
		return err
	}
	var info tcpinfo.Info
	if !s.Info(&info) {
		return sockdiag.ErrGone
	}
	now := time.Now()
	if len(w.Samples) == 0 {
		w.Begun = now
	}
	if string(s.CC()) != w.CC {
		w.CC = string(s.CC())
	}
	w.Samples = append(w.Samples, record.Sample{
		At: now.Sub(w.Begun).Seconds(), Info: info,
		Memory: &record.SocketMemory{
			Queued: s.Memory(sockdiag.MemoryToSend), SendBuffer: s.Memory(sockdiag.SendBuffer),
			RecvBuffer: s.Memory(sockdiag.ReceiveBuffer), Unread: s.Waiting(), Arrived: s.Memory(sockdiag.MemoryReceived),
		},
	})
	return nil
}

// count says which way most went, and how much since the first look.
func (w *watcher) count() {
	first, last := w.Samples[0].Info, w.Samples[len(w.Samples)-1].Info
	w.Sends = last.BytesAcked-first.BytesAcked >= last.BytesReceived-first.BytesReceived
	for i := range w.Samples {
		x := &w.Samples[i]
		if w.Sends {
			x.Bytes = int64(x.Info.BytesAcked - first.BytesAcked)
		} else {
			x.Bytes = int64(x.Info.BytesReceived - first.BytesReceived)
		}
	}
}
