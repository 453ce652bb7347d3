package wire

import "unchoke/tcpinfo"

// Output is a server's output as a stock server with -J gives it, as far as it
// is of use to a client. tcp_info is an addition of ours.
type Output struct {
	Start     OutputStart      `json:"start"`
	Intervals []OutputInterval `json:"intervals"`
	End       OutputEnd        `json:"end"`
}

// OutputEnd is what the whole test came to: of UDP, stream by stream.
type OutputEnd struct {
	Streams []OutputSummary `json:"streams"`
}

// OutputSummary is one stream.
type OutputSummary struct {
	UDP *OutputUDP `json:"udp,omitempty"`
}

// OutputUDP is what a receiver counted of a stream.
type OutputUDP struct {
	Socket     int     `json:"socket"`
	Bytes      int64   `json:"bytes"`
	Packets    int64   `json:"packets"` // that were sent, as far as one that arrived tells
	Lost       int64   `json:"lost_packets"`
	LostShare  float64 `json:"lost_percent"`
	OutOfOrder int64   `json:"out_of_order"`
	Sender     bool    `json:"sender"`
}

// OutputStart tells which test it is.
type OutputStart struct {
	Version   string          `json:"version"`
	Accepted  OutputAccepted  `json:"accepted_connection"`
	Cookie    string          `json:"cookie"`
	Timestamp OutputTimestamp `json:"timestamp"`
}

// OutputAccepted is where the client's control connection came from.
type OutputAccepted struct {
	Host string `json:"host"`
	Port int    `json:"port"`
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
	SndCwnd       *int64        `json:"snd_cwnd,omitempty"`     // bytes
	SndWnd        *int64        `json:"snd_wnd,omitempty"`      // bytes
	RTT           *int64        `json:"rtt,omitempty"`          // µs
	RTTVar        *int64        `json:"rttvar,omitempty"`       // µs
	PMTU          *int64        `json:"pmtu,omitempty"`         // bytes
	Packets       *int64        `json:"packets,omitempty"`      // UDP, received: that were sent
	Lost          *int64        `json:"lost_packets,omitempty"` // of these
	Omitted       bool          `json:"omitted"`
	Sender        bool          `json:"sender"`
	TCPInfo       *tcpinfo.Info `json:"tcp_info,omitempty"`
}
