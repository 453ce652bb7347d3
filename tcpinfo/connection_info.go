package tcpinfo

import (
	"encoding/binary"
	"fmt"
)

var order = binary.NativeEndian

// Offsets in Darwin's struct tcp_connection_info (bsd/netinet/tcp.h of xnu, the
// same on amd64 and arm64: the 64-bit members are aligned to eight). Between
// darwinRTTVar and darwinTxPackets stands a word of TCP Fast Open's bits.
const (
	darwinState       = 0
	darwinSndWscale   = 1
	darwinRcvWscale   = 2
	darwinOptions     = 4
	darwinFlags       = 8
	darwinRTO         = 12 // milliseconds, as are all times
	darwinMaxseg      = 16 // bytes, as are all windows
	darwinSndSsthresh = 20
	darwinSndCwnd     = 24
	darwinSndWnd      = 28
	darwinRcvWnd      = 36
	darwinSRTT        = 44
	darwinRTTVar      = 48
	darwinTxPackets   = 56 // with data, retransmitted ones among them (tcp_output.c)
	darwinTxBytes     = 64 // the same: payload
	darwinTxRetrans   = 72 // bytes
	darwinRxPackets   = 80
	darwinRxBytes     = 88
	darwinTxRetransPk = 104 // packets; not before macOS 10.13
)

// darwinLeast is the structure without its last member.
const darwinLeast = 104

// darwinFields are what it tells: not what is acknowledged, on the way or
// unsent, nor what limits the sender.
var darwinFields = source{
	FieldState: darwinLeast, FieldCAState: darwinLeast, FieldOptions: darwinLeast, FieldWindowScale: darwinLeast,
	FieldRTO: darwinLeast, FieldSndMSS: darwinLeast, FieldRTT: darwinLeast, FieldRTTVar: darwinLeast,
	FieldSndSsthresh: darwinLeast, FieldSndCwnd: darwinLeast, FieldSndWnd: darwinLeast, FieldRcvWnd: darwinLeast,
	FieldDataSegsOut: darwinLeast, FieldDataSegsIn: darwinLeast,
	FieldBytesSent: darwinLeast, FieldBytesReceived: darwinLeast, FieldBytesRetrans: darwinLeast,
	FieldTotalRetrans: darwinTxRetransPk + 8,
}

// darwinStates are those of netinet/tcp_fsm.h, by their numbers.
var darwinStates = [...]State{Close, Listen, SynSent, SynRecv, Established, CloseWait, FinWait1, Closing, LastAck, FinWait2, TimeWait}

const (
	// darwinLossRecovery is TCPCI_FLAG_LOSSRECOVERY.
	darwinLossRecovery = 1
	// darwinInfinite is the threshold of the first slow start: TCP_MAXWIN <<
	// TCP_MAX_WINSHIFT. In it Linux says InfiniteSsthresh.
	darwinInfinite = 65535 << 14
)

// ParseConnectionInfo reads Darwin's struct tcp_connection_info
// (getsockopt(TCP_CONNECTION_INFO)) in this machine's byte order. Windows in
// bytes become segments, rounded up. Times are whole milliseconds there.
// BytesReceived counts what arrived twice, too.
func ParseConnectionInfo(b []byte) (Info, error) {
	if len(b) < darwinLeast {
		return Info{}, fmt.Errorf("parse tcp_connection_info: %d bytes, need at least %d", len(b), darwinLeast)
	}
	d := foreign(b)
	mss := d.u32(darwinMaxseg)
	if mss == 0 {
		return Info{}, errNoSegment("tcp_connection_info")
	}
	i := Info{
		System: Darwin, Length: len(b),
		SndWscale: d.u8(darwinSndWscale), RcvWscale: d.u8(darwinRcvWscale),
		Options: Options(d.u32(darwinOptions) & 0xf), // TCPCI_OPT_* have Linux's numbers
		RTO:     millis.times(uint64(d.u32(darwinRTO))),
		SndMSS:  mss,
		RTT:     millis.times(uint64(d.u32(darwinSRTT))), RTTVar: millis.times(uint64(d.u32(darwinRTTVar))),
		SndSsthresh: InfiniteSsthresh, SndCwnd: segments(d.u32(darwinSndCwnd), mss),
		SndWnd: d.u32(darwinSndWnd), RcvWnd: d.u32(darwinRcvWnd),
		DataSegsOut: uint32(d.u64(darwinTxPackets)), DataSegsIn: uint32(d.u64(darwinRxPackets)),
		BytesSent: d.u64(darwinTxBytes), BytesReceived: d.u64(darwinRxBytes), BytesRetrans: d.u64(darwinTxRetrans),
	}
	if state := d.u8(darwinState); int(state) < len(darwinStates) {
		i.State = darwinStates[state]
	}
	if d.u32(darwinFlags)&darwinLossRecovery != 0 {
		i.CAState = CARecovery
	}
	if t := d.u32(darwinSndSsthresh); t < darwinInfinite {
		i.SndSsthresh = segments(t, mss)
	}
	if len(b) >= darwinTxRetransPk+8 {
		i.TotalRetrans = uint32(d.u64(darwinTxRetransPk))
	}
	return i, nil
}
