package iperf3

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// opaque hides what a connection is beyond a net.Conn.
type opaque struct{ net.Conn }

// Connections may come from the server's side, be sockets or not.
func TestDial(t *testing.T) {
	addr, _ := serve(t, &Server{})
	var dialer net.Dialer
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"sockets":   func(c net.Conn) net.Conn { return c },
		"something": func(c net.Conn) net.Conn { return opaque{c} },
	} {
		t.Run(name, func(t *testing.T) {
			dialled := 0
			client := Client{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				dialled++
				conn, err := dialer.DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return wrap(conn), nil
			}}
			for _, reverse := range []bool{false, true} {
				r, err := client.Run(t.Context(), addr, Test{Duration: 300 * time.Millisecond, Streams: 2, Reverse: reverse})
				if err != nil {
					t.Fatal(err)
				}
				var moved int64
				for _, s := range r.Streams {
					moved += s.Samples[len(s.Samples)-1].Bytes
				}
				if moved == 0 {
					t.Errorf("reverse %v: nothing moved", reverse)
				}
			}
			if dialled < 6 { // a control connection, tried again while the server is busy, and two streams, twice
				t.Errorf("%d connections were dialled", dialled)
			}
			_, err := client.Run(t.Context(), addr, Test{Duration: 100 * time.Millisecond, Congestion: "reno"})
			if refused := name == "something"; errors.Is(err, ErrCongestion) != refused {
				t.Errorf("a congestion control: %v", err)
			}
		})
	}
}
