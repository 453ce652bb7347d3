package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/watch"
)

// untilOrphaned ends a role when its parent closes its input.
func untilOrphaned(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx, cancel
}

// hold makes connections within this host and keeps them; so many of them send
// a kilobyte ten times a second.
func hold(ctx context.Context, connections, senders int, out io.Writer) error {
	ctx, cancel := untilOrphaned(ctx)
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	var busy []net.Conn
	for k := range connections {
		near, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		far, err := l.Accept()
		if err != nil {
			return err
		}
		defer near.Close()
		defer far.Close()
		if k < senders {
			busy = append(busy, near)
			go func() { _, _ = io.Copy(io.Discard, far) }()
		}
	}
	if err := json.NewEncoder(out).Encode("ready"); err != nil {
		return err
	}
	message := make([]byte, 1000)
	for tick := time.Tick(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
			for _, c := range busy {
				if _, err := c.Write(message); err != nil {
					return err
				}
			}
		}
	}
}

// sample is what the watcher tells after each look.
type sample struct {
	At           float64 // s, by the monotonic clock
	CPU          float64 // s, of the process, ever
	Flows        int     // open
	Closed, Lost int64   // ever
}

// look watches and counts.
func look(ctx context.Context, interval time.Duration, out io.Writer) error {
	ctx, cancel := untilOrphaned(ctx)
	defer cancel()
	s, err := watch.Open(watch.Options{Interval: interval})
	if err != nil {
		return err
	}
	defer s.Close()
	encoder := json.NewEncoder(out)
	var x sample
	for {
		snap, err := s.Next(ctx)
		if ctx.Err() != nil {
			return nil // it was told to end
		}
		if err != nil {
			return err
		}
		x.At, x.Flows, x.Lost = monotonic(), 0, snap.LostEvents
		for k := range snap.Flows {
			if snap.Flows[k].Closed {
				x.Closed++
			} else {
				x.Flows++
			}
		}
		var used unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
			return err
		}
		x.CPU = time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
		if err := encoder.Encode(x); err != nil {
			return err
		}
	}
}

func monotonic() float64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // cannot fail with this clock
	return time.Duration(now.Nano()).Seconds()
}

// made is what the burst tells at its end.
type made struct {
	Connections int64
	Took, Ended float64 // s
}

// burst makes so many short connections a second within this host: each is
// opened, carries 100 bytes and is closed by both ends.
func burst(ctx context.Context, each, seconds int, out io.Writer) error {
	ctx, cancel := untilOrphaned(ctx)
	defer cancel()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		return err
	}
	defer l.Close()
	var served sync.WaitGroup
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, c)
			c.Close()
			served.Done()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	begun := time.Now()
	total := each * seconds
	for k := range total {
		// Where it is ahead of the pace it waits.
		if due := time.Duration(k) * time.Second / time.Duration(each); k%50 == 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(due - time.Since(begun)):
			}
		}
		// Another address each time, or the ports would not suffice: a closed
		// connection keeps its own for a minute.
		c, err := net.DialTCP("tcp", nil, &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+k%200)), Port: port})
		if err != nil {
			return err
		}
		served.Add(1)
		if _, err := c.Write(make([]byte, 100)); err != nil {
			return err
		}
		c.Close()
	}
	took := time.Since(begun)
	served.Wait()
	return json.NewEncoder(out).Encode(made{int64(total), took.Seconds(), monotonic()})
}
