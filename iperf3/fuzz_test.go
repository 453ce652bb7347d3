package iperf3

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"unchoke/iperf3/internal/datagram"
	"unchoke/iperf3/internal/wire"
)

// FuzzServer lets a client say anything after its cookie, on the control
// connection and on a stream. Whatever it is, the next client is served.
func FuzzServer(f *testing.F) {
	frame := func(doc string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(doc))), doc...)
	}
	results := frame(`{"streams":[]}`)
	for _, doc := range []string{
		plainParams, `{"tcp":true,"time":1,"reverse":true,"get_server_output":1,"bandwidth":9223372036854775807}`,
		`{"tcp":true,"parallel":128,"bidirectional":true}`, `{"udp":true,"time":1,"len":65507,"reverse":true,"bandwidth":0}`,
		`{"tcp":true,"num":-1}`, `[]`, ``,
	} {
		f.Add(frame(doc), append([]byte{4}, results...), []byte("data"))
	}
	f.Add([]byte{255, 255, 255, 255}, []byte{}, []byte{})
	f.Add(frame(plainParams), []byte{4, 0, 0, 0, 1, '0', 16}, datagram.Hello())
	l := listen(f)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- (&Server{Timeout: 500 * time.Millisecond, Queue: 1}).Serve(ctx, l) }()
	f.Cleanup(func() { cancel(); <-served })
	addr := l.Addr().String()
	f.Fuzz(func(t *testing.T, params, rest, data []byte) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Second))
		id := newCookie()
		conn.Write(id[:])
		conn.Write(params)
		var states [2]byte
		io.ReadFull(conn, states[:])
		if wire.State(states[1]) == wire.CreateStreams {
			tcp := stream(t, addr, id)
			tcp.Write(data)
			greetOnce(t, addr).Write(data)
		}
		conn.Write(rest)
		conn.Close()
		client := Client{BusyWait: 5 * time.Second}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if _, err := client.Run(ctx, addr, Test{Bytes: 1000}); err != nil {
			t.Error(err)
		}
	})
}
