package link

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// links are the two ends of a TCP connection over loopback.
func links(t *testing.T, take func(net.Conn) (TCP, error)) (a, b TCP) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ends := make([]TCP, 2)
	for i, open := range []func() (net.Conn, error){
		func() (net.Conn, error) { return net.Dial("tcp", l.Addr().String()) }, l.Accept,
	} {
		conn, err := open()
		if err != nil {
			t.Fatal(err)
		}
		if ends[i], err = take(conn); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ends[i].Close() })
	}
	return ends[0], ends[1]
}

// takers are the ways to move data: the platform's, and that of package net.
var takers = map[string]struct {
	tcp func(net.Conn) (TCP, error)
	udp func(net.Conn) (UDP, error)
}{
	"platform": {NewTCP, func(c net.Conn) (UDP, error) { return NewUDP(c, true) }},
	"groups":   {NewTCP, func(c net.Conn) (UDP, error) { return NewUDP(c, false) }},
	"borrowed": {NewTCP, func(c net.Conn) (UDP, error) { return BorrowUDP(c.(*net.UDPConn), true) }},
	"net": {
		func(c net.Conn) (TCP, error) { return &netTCP{conn: c}, nil },
		func(c net.Conn) (UDP, error) { return &netUDP{conn: c}, nil },
	},
}

// What is sent arrives, a receiver waits no longer than PollEvery, and an
// interrupted one ends.
func TestTCP(t *testing.T) {
	for name, take := range takers {
		t.Run(name, func(t *testing.T) {
			from, to := links(t, take.tcp)
			if n, err := to.Receive(); n != 0 || err != nil {
				t.Errorf("with nothing sent: %d bytes, %v", n, err)
			}
			sent, err := from.Send(make([]byte, 10000), time.Second)
			if err != nil || sent == 0 {
				t.Fatalf("%d bytes sent, %v", sent, err)
			}
			for got := 0; got < sent; {
				n, err := to.Receive()
				if err != nil {
					t.Fatalf("%d of %d bytes arrived, %v", got, sent, err)
				}
				got += n
			}
			to.Interrupt()
			if n, err := to.Receive(); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("interrupted: %d bytes, %v", n, err)
			}
		})
	}
}

// A batch arrives as the datagrams that it was made of, each with the time of
// its arrival.
func TestUDP(t *testing.T) {
	for name, take := range takers {
		t.Run(name, func(t *testing.T) {
			pc, err := net.ListenPacket("udp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			peer, err := net.Dial("udp", pc.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			local := pc.LocalAddr().(*net.UDPAddr)
			pc.Close()
			conn, err := (&net.Dialer{
				LocalAddr: local,
				Control: func(network, _ string, c syscall.RawConn) error {
					_, err := Options{Stamps: true}.Set(network, c)
					return err
				},
			}).Dial("udp", peer.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			to, err := take.udp(conn)
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			from, err := take.udp(peer)
			if err != nil {
				t.Fatal(err)
			}
			defer from.Close()

			const size = 700
			begin := time.Now()
			batch := min(from.MaxBatch(size), 20)
			p := make([]byte, batch*size)
			for n := range batch {
				p[n*size] = byte(n)
			}
			if took, err := from.Send(p, batch); took != batch || err != nil {
				t.Fatalf("%d of %d sent, %v", took, batch, err)
			}
			for n := 0; n < batch; {
				if time.Since(begin) > 5*time.Second {
					t.Fatalf("%d of %d arrived", n, batch)
				}
				if err := to.Receive(func(head []byte, whole int, arrived time.Time) {
					if whole != size || head[0] != byte(n) || arrived.Sub(begin) < -time.Millisecond || time.Until(arrived) > time.Millisecond {
						t.Errorf("datagram %d is number %d, of %d bytes, after %v", n, head[0], whole, arrived.Sub(begin))
					}
					n++
				}); err != nil {
					t.Fatal(err)
				}
			}
			to.Interrupt()
			if err := to.Receive(func([]byte, int, time.Time) {}); !errors.Is(err, io.EOF) {
				t.Errorf("interrupted: %v", err)
			}
		})
	}
}

// What the system does not grant is a warning or an error, as the option is.
func TestOptions(t *testing.T) {
	dial := func(o Options) (warnings []string, err error) {
		l, listenErr := net.Listen("tcp", "127.0.0.1:0")
		if listenErr != nil {
			t.Fatal(listenErr)
		}
		defer l.Close()
		conn, err := (&net.Dialer{Control: func(network, _ string, c syscall.RawConn) (err error) {
			warnings, err = o.Set(network, c)
			return err
		}}).Dial("tcp", l.Addr().String())
		if err == nil {
			conn.Close()
		}
		return warnings, err
	}
	if warnings, err := dial(Options{}); len(warnings) > 0 || err != nil {
		t.Errorf("nothing asked for: %q, %v", warnings, err)
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is known to bound buffers and to set the congestion control")
	}
	if warnings, err := dial(Options{Window: 512 << 20}); len(warnings) != 2 || err != nil {
		t.Errorf("a window of 512 MiB: %q, %v", warnings, err)
	}
	_, err := dial(Options{Congestion: "nosuch", Sending: true})
	var hinter interface{ Hint() string }
	if !errors.Is(err, ErrCongestion) || !errors.As(err, &hinter) || !strings.Contains(hinter.Hint(), "modprobe") {
		t.Errorf("a congestion control that no kernel has: %v", err)
	}
	if _, err := dial(Options{Congestion: "nosuch"}); err != nil {
		t.Errorf("it is asked of a socket that only receives: %v", err)
	}
}
