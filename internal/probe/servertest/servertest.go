// Package servertest has far ends for tests.
package servertest

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"unchoke/iperf3"
)

// Serve runs an iperf3 server on loopback until the test ends.
func Serve(t testing.TB) netip.AddrPort {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = (&iperf3.Server{}).Serve(ctx, listener) // ends with the test
	}()
	t.Cleanup(func() { cancel(); <-done })
	return listener.Addr().(*net.TCPAddr).AddrPort()
}
