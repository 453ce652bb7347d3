package far

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/session"
	"unchoke/iperf3"
)

// Where the far host connects to this one, UDP goes to where its datagrams come
// from, both ways.
func TestUDPOfTheWayBack(t *testing.T) {
	near, there := net.Pipe()
	go func() { _ = session.Far{Version: "far"}.Run(t.Context(), there, there) }()
	c, err := session.Open(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()
	const token = "0123456789abcdef"
	if _, err := c.Serve(t.Context(), session.Serve{Token: token, Listen: "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	door, err := openBackDoor()
	if err != nil {
		t.Fatal(err)
	}
	defer door.close()
	loopback := netip.MustParseAddr("127.0.0.1")
	w := (&End{Client: c}).wayBack(door, netip.AddrPortFrom(loopback, door.port).String(), loopback)
	if w.NoUDP != "" {
		t.Fatalf("no UDP: %s", w.NoUDP)
	}
	streams := 0
	client := iperf3.Client{Token: token, Dial: w.Dial, Timeout: 30 * time.Second, DialUDP: func(ctx context.Context, address string) (net.Conn, error) {
		conn, err := w.DialUDP(ctx, address)
		if err == nil && conn.RemoteAddr().String() != address {
			t.Errorf("the stream goes to %v, the server's UDP port is %s", conn.RemoteAddr(), address)
		}
		streams++
		return conn, err
	}}
	for _, reverse := range []bool{false, true} {
		// Nobody listens there: all goes by the way back.
		r, err := client.Run(t.Context(), "127.0.0.1:1", iperf3.Test{Protocol: iperf3.UDP, Bytes: 40_000, Rate: 2e6, Streams: 2, Reverse: reverse})
		if err != nil {
			t.Fatalf("reverse %v: %v", reverse, err)
		}
		for _, s := range r.Streams {
			if s.Packets == 0 || s.Lost == s.Packets {
				t.Errorf("reverse %v: %d packets, %d lost", reverse, s.Packets, s.Lost)
			}
		}
	}
	if streams != 4 {
		t.Errorf("%d UDP streams, want 4", streams)
	}
}

// A far host whose datagrams do not arrive is said to block UDP, and strangers'
// are no invitation.
func TestUninvited(t *testing.T) {
	asked := 0
	_, err := invite(t.Context(), "127.0.0.1:1", "127.0.0.1:2", func(_ context.Context, port int, _ string) error {
		asked++
		stranger, err := net.DialUDP("udp", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			return err
		}
		defer stranger.Close()
		_, err = stranger.Write([]byte("0123456789abcdef0123456789abcdef"))
		return err
	})
	if !errors.Is(err, iperf3.ErrUDPBlocked) || asked != inviteTries {
		t.Errorf("%v, asked %d times", err, asked)
	}
}
