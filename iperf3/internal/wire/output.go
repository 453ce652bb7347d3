package wire

import "unchoke/tcpinfo"

// Output is a server's output as a stock server with -J gives it, as far as it
// is of use to a client: the intervals. tcp_info is an addition of ours.
type Output struct {
	Start     OutputStart      `json:"start"`
	Intervals []OutputInterval `json:"intervals"`
}

// OutputStart tells which test it is.
type OutputStart struct {
	Version   string          `json:"version"`
	Cookie    string          `json:"cookie"`
	Timestamp OutputTimestamp `json:"timestamp"`
}

// OutputTimestamp is when the test began, as RFC 1123 writes it and in seconds
// since 1970.
type OutputTimestamp struct {
	Time  string `json:"time"`
	Epoch int64  `json:"timesecs"`
}

// OutputInterval is a part of the test.
type OutputInterval struct {
	Streams []OutputStream `json:"streams"`
}

// OutputStream is one stream in an interval, whose bounds are in seconds since
// the start of the test.
type OutputStream struct {
	Socket        int           `json:"socket"` // the stream's number
	Start         float64       `json:"start"`
	End           float64       `json:"end"`
	Seconds       float64       `json:"seconds"`
	Bytes         int64         `json:"bytes"`
	BitsPerSecond float64       `json:"bits_per_second"`
	Retransmits   *int64        `json:"retransmits,omitempty"`
	SndCwnd       *int64        `json:"snd_cwnd,omitempty"` // bytes
	SndWnd        *int64        `json:"snd_wnd,omitempty"`  // bytes
	RTT           *int64        `json:"rtt,omitempty"`      // µs
	RTTVar        *int64        `json:"rttvar,omitempty"`   // µs
	PMTU          *int64        `json:"pmtu,omitempty"`     // bytes
	Omitted       bool          `json:"omitted"`
	Sender        bool          `json:"sender"`
	TCPInfo       *tcpinfo.Info `json:"tcp_info,omitempty"`
}
