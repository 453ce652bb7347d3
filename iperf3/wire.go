package iperf3

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A state is what the control connection carries besides JSON: one signed
// byte (src/iperf_api.h).
type state int8

const (
	testStart       state = 1
	testRunning     state = 2
	testEnd         state = 4
	paramExchange   state = 9
	createStreams   state = 10
	serverTerminate state = 11
	clientTerminate state = 12
	exchangeResults state = 13
	displayResults  state = 14
	iperfStart      state = 15
	iperfDone       state = 16
	accessDenied    state = -1
	serverError     state = -2
)

var stateNames = map[state]string{
	testStart: "TEST_START", testRunning: "TEST_RUNNING", testEnd: "TEST_END",
	paramExchange: "PARAM_EXCHANGE", createStreams: "CREATE_STREAMS",
	serverTerminate: "SERVER_TERMINATE", clientTerminate: "CLIENT_TERMINATE",
	exchangeResults: "EXCHANGE_RESULTS", displayResults: "DISPLAY_RESULTS",
	iperfStart: "IPERF_START", iperfDone: "IPERF_DONE",
	accessDenied: "ACCESS_DENIED", serverError: "SERVER_ERROR",
}

func (s state) String() string {
	if n, ok := stateNames[s]; ok {
		return n
	}
	return fmt.Sprintf("state %d", int8(s))
}

// cookieSize counts the NUL at the end.
const cookieSize = 37

// A cookie identifies a test: it opens the control connection and every TCP
// data connection.
type cookie [cookieSize]byte

// newCookie draws from iperf3's alphabet, of 32 characters so that a byte
// modulo 32 is unbiased.
func newCookie() cookie {
	const alphabet = "abcdefghijklmnopqrstuvwxyz234567"
	var c cookie
	rand.Read(c[:]) // never fails: crypto/rand.Read
	for i := range c {
		c[i] = alphabet[c[i]%32]
	}
	c[cookieSize-1] = 0
	return c
}

func (c cookie) String() string { return string(c[:cookieSize-1]) }

// Bounds of the JSON that a peer may send. Parameters are small; results grow
// with the streams, and those of a server with what it printed.
const (
	maxParams        = 16 << 10
	maxTitle         = 4 << 10
	maxClientResults = 256 << 10
	maxServerResults = 16 << 20
)

var errFrameSize = errors.New("JSON of impossible size")

// writeJSON writes one framed document: its length in 32 bits, big-endian,
// then itself.
func writeJSON(w io.Writer, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(doc)), uint32(len(doc)))
	_, err = w.Write(append(frame, doc...))
	return err
}

// readJSON reads one framed document of at most limit bytes into v.
func readJSON(r io.Reader, limit int, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n == 0 || n > uint32(limit) {
		return fmt.Errorf("%w: %d bytes, at most %d", errFrameSize, n, limit)
	}
	// A peer that announces much and sends little costs no memory.
	doc, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return err
	}
	if len(doc) < int(n) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(doc, v)
}
