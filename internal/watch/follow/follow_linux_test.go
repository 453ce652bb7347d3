package follow

import (
	"context"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/linux/sockdiag"
)

// stream is a connection over loopback on which the near end sends 100 kB every
// 10 ms, and the options that follow it from either end.
func stream(t *testing.T) (near, far net.Conn, sender, receiver Options) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp4", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	go func() { _, _ = io.Copy(io.Discard, far) }()
	go func() {
		for b := make([]byte, 100_000); ; time.Sleep(10 * time.Millisecond) {
			if _, err := near.Write(b); err != nil {
				return
			}
		}
	}()
	return near, far, options(t, near), options(t, far)
}

func options(t *testing.T, c net.Conn) Options {
	t.Helper()
	d, err := sockdiag.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	o := Options{
		Local: c.LocalAddr().(*net.TCPAddr).AddrPort(), Remote: c.RemoteAddr().(*net.TCPAddr).AddrPort(),
		Interval: 10 * time.Millisecond, For: 400 * time.Millisecond,
	}
	match := sockdiag.Match{
		LocalPort: o.Local.Port(), RemotePort: o.Remote.Port(),
		Local: netip.PrefixFrom(o.Local.Addr(), 32), Remote: netip.PrefixFrom(o.Remote.Addr(), 32),
	}
	if err := d.TCP(match, func(s *sockdiag.Socket) { o.Cookie = s.Cookie() }); err != nil || o.Cookie == 0 {
		t.Fatalf("cookie %x, %v", o.Cookie, err)
	}
	return o
}

// Either end tells what moves, and which way.
func TestFollow(t *testing.T) {
	_, _, sender, receiver := stream(t)
	for _, c := range []struct {
		o     Options
		sends bool
	}{{sender, true}, {receiver, false}} {
		var told float64
		c.o.Progress = func(share float64) { told = share }
		seen, err := Follow(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		last := seen.Samples[len(seen.Samples)-1]
		switch {
		case len(seen.Samples) < 5 || seen.Samples[0].At != 0 || seen.Samples[0].Bytes != 0 || last.At < 0.3:
			t.Errorf("%d samples, the last at %v s", len(seen.Samples), last.At)
		case seen.Sends != c.sends || last.Bytes < 200_000 || seen.CC == "" || seen.Ended:
			t.Errorf("sends %v, %d bytes, %q, ended %v", seen.Sends, last.Bytes, seen.CC, seen.Ended)
		case last.Memory.SendBuffer == 0 || told == 0:
			t.Errorf("send buffer %d, progress %v", last.Memory.SendBuffer, told)
		}
	}
}

// A connection that ends midway, a look that is stopped, and a connection that
// has gone already.
func TestFollowEnds(t *testing.T) {
	near, far, o, _ := stream(t)
	o.For = time.Minute
	time.AfterFunc(200*time.Millisecond, func() { far.Close(); near.Close() })
	seen, err := Follow(t.Context(), o)
	if err != nil || !seen.Ended || len(seen.Samples) < 2 {
		t.Errorf("%d samples, ended %v, %v", len(seen.Samples), seen.Ended, err)
	}
	if _, err := Follow(t.Context(), o); err == nil {
		t.Error("a connection that has gone is followed")
	}
	_, _, o, _ = stream(t)
	o.For = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if seen, err = Follow(ctx, o); err != nil || seen.Ended || len(seen.Samples) < 2 {
		t.Errorf("stopped: %d samples, ended %v, %v", len(seen.Samples), seen.Ended, err)
	}
}
