package iperf3

import (
	"encoding/json"
	"time"

	"unchoke/tcpinfo"
)

// Result is what a test measured. Times within it count from the moment at
// which the test began to run; the omitted part is not in the totals but is in
// the samples.
type Result struct {
	Test     Test      // as it ran, defaults filled in
	Server   string    // the address dialled
	Start    time.Time // when the test began to run
	Elapsed  time.Duration
	Cookie   string
	Streams  []Stream
	Local    Report // what was sent to the server
	Remote   Report // what the server sent; without streams if the test failed before
	Warnings []string

	// What the server printed, if Test.GetServerOutput was set: JSON from a
	// server that runs with -J, else text.
	ServerOutputText string
	ServerOutputJSON json.RawMessage
}

// Stream is one data connection as this side saw it.
type Stream struct {
	ID      int
	Sending bool
	// Start and End bound the measured part.
	Start, End time.Duration
	Bytes      int64 // payload sent or received from Start to End

	// TCP, sending: retransmitted segments; −1 where the system does not tell.
	Retransmits int64
	// TCP: the congestion control in use on this side's socket, and the buffer
	// by which this side bounds the stream, as SO_SNDBUF or SO_RCVBUF would be
	// set to it: Test.Window where that was granted. Empty and 0 where the
	// system does not tell.
	Congestion string
	Buffer     int
	// Samples are taken every Client.SampleEvery, over the whole test. The
	// last one is taken at End.
	Samples []Sample

	// UDP. Packets is what was sent or, receiving, the highest sequence number
	// less that of the omitted part, as in iperf3: Packets − Lost arrived.
	Packets    int64
	Lost       int64
	Reordered  int64
	Duplicates int64
	Malformed  int64         // datagrams that are none of iperf3's
	Jitter     time.Duration // RFC 3550 §6.4.1
	Trace      []Packet      // receiving, if Test.Trace is set

	// Sent tells what a UDP sender really did, over the whole test.
	Sent Sent

	// Remote is the server's view of the same stream; nil if it gave none.
	Remote *StreamReport
}

// Sample is the state of a stream at one moment.
type Sample struct {
	At    time.Duration
	Bytes int64 // sent or received since the test began, the omitted part included
	// Info is empty (its Length is 0) for UDP, and on systems without TCP_INFO.
	Info tcpinfo.Info
	// Arrived, Lost and Reordered count the packets of UDP since the test began,
	// at the receiver.
	Arrived, Lost, Reordered int64
}

// Packet is one UDP datagram that arrived.
type Packet struct {
	Seq uint64
	// Sent is the sender's clock, which has an unknown origin: only
	// differences mean anything.
	Sent    time.Duration
	Arrived time.Duration // since the test began
}

// Sent is what a UDP sender did.
type Sent struct {
	Packets     int64
	Bytes       int64
	First, Last time.Duration // when the first and the last packet were handed over
	// Blocked counts the times that the socket's buffer was full, Refused
	// those that the system dropped a packet at once (ENOBUFS), and Skipped the
	// packets that a late sender left out rather than send in a burst.
	Blocked, Refused, Skipped int64
}

// Report is what one side tells the other when a test ends.
type Report struct {
	CPU CPU
	// HasRetransmits tells whether the side counts retransmits as a sender.
	HasRetransmits bool
	// Congestion is the algorithm in use on the side's TCP sockets.
	Congestion string
	Streams    []StreamReport
}

// CPU is the share of one core that the iperf3 process used during the test:
// 1 is a whole core.
type CPU struct{ Total, User, System float64 }

// StreamReport is one side's account of one stream. What it does not know is
// −1.
type StreamReport struct {
	ID          int
	Bytes       int64
	Retransmits int64
	Jitter      time.Duration
	Lost        int64
	Packets     int64
	// What was lost and sent in the omitted part, beside Lost and Packets.
	// Servers before 3.14 do not tell: these are 0, and Lost and Packets are of
	// the whole test.
	OmittedLost, OmittedPackets int64
	Start, End                  time.Duration
}

// Progress is the state of a running test.
type Progress struct {
	Elapsed  time.Duration // of Omit and Duration together
	Omitting bool
	Bytes    []int64 // of each stream, in the order of Result.Streams, since the start
}
