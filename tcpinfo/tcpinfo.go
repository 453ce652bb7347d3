// Package tcpinfo reads what Linux tells about a TCP connection: struct
// tcp_info, as getsockopt(TCP_INFO) and the sock_diag attribute INET_DIAG_INFO
// give it, and the details of its congestion control (TCP_CC_INFO,
// INET_DIAG_BBRINFO and its siblings).
//
// Of macOS and Windows it reads what they have instead: struct
// tcp_connection_info (TCP_CONNECTION_INFO) and TCP_INFO_v0 and v1
// (SIO_TCP_INFO), into the same fields.
//
// Kernels have appended to the structure for twenty years. Parse takes as much
// as there is: a field that the kernel did not give is absent, which Info.Has
// tells and JSON shows by leaving it out, and is never passed off as zero.
package tcpinfo

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"syscall"
	"time"
)

// ErrNotSupported is returned by Get where the system is none of Linux, macOS and
// Windows, and by GetCC on all but Linux.
var ErrNotSupported = errors.New("TCP_INFO is not supported on this system")

// Unlimited is a MaxPacingRate (and a PacingRate before the first
// measurement) that sets no limit.
const Unlimited = math.MaxUint64

// Finite is a rate in bit/s, 0 where it is Unlimited.
func Finite(rate uint64) float64 {
	if rate == Unlimited {
		return 0
	}
	return float64(rate)
}

// InfiniteSsthresh is SndSsthresh in the first slow start (TCP_INFINITE_SSTHRESH,
// include/net/tcp.h).
const InfiniteSsthresh = 0x7fff_ffff

// NoMinRTT is less than MinRTT is before its first measurement: then it is all ones, in
// microseconds.
const NoMinRTT = time.Hour

// MinLength is the shortest structure that Parse takes: up to the option bits
// and the window scales. Shorter ones exist in no kernel.
const MinLength = int(FieldAppLimited)

// Info is struct tcp_info. Times are durations, rates are in bits per second,
// and every other number is as the kernel counts it.
type Info struct {
	// System is whose structure it was; see Has.
	System System
	// Length is the number of bytes that the system gave; see Has.
	Length int

	State       State
	CAState     CAState
	Retransmits uint8 // retransmission timeouts in a row, unanswered
	Probes      uint8 // zero-window probes unanswered
	Backoff     uint8
	Options     Options
	SndWscale   uint8
	RcvWscale   uint8
	// AppLimited tells that DeliveryRate was measured while the application
	// had nothing to send, and so is a lower bound.
	AppLimited bool
	// FastOpenFail is why a client's TCP Fast Open failed (enum tcp_fastopen_client_fail).
	FastOpenFail uint8

	RTO, ATO       time.Duration
	SndMSS, RcvMSS uint32 // bytes

	Unacked, Sacked, Lost, Retrans, Fackets uint32 // segments, now

	LastDataSent, LastAckSent, LastDataRecv, LastAckRecv time.Duration // ago

	PMTU        uint32 // bytes
	RcvSsthresh uint32 // bytes
	RTT, RTTVar time.Duration
	SndSsthresh uint32 // segments; InfiniteSsthresh while in the first slow start
	SndCwnd     uint32 // segments
	AdvMSS      uint32 // bytes
	Reordering  uint32 // segments

	RcvRTT   time.Duration
	RcvSpace uint32 // bytes that the application takes in one RcvRTT

	TotalRetrans uint32 // segments retransmitted, ever

	PacingRate, MaxPacingRate uint64 // bit/s, or Unlimited
	BytesAcked, BytesReceived uint64
	SegsOut, SegsIn           uint32

	NotsentBytes            uint32
	MinRTT                  time.Duration
	DataSegsIn, DataSegsOut uint32

	DeliveryRate uint64 // bit/s

	// BusyTime is the time with data outstanding; it includes RwndLimited and
	// SndbufLimited.
	BusyTime, RwndLimited, SndbufLimited time.Duration

	Delivered, DeliveredCE  uint32 // segments
	BytesSent, BytesRetrans uint64 // payload, BytesSent including retransmitted bytes
	DSACKDups               uint32 // duplicates that the receiver reported: spurious retransmits
	ReordSeen               uint32 // reordering events seen

	RcvOOOPack uint32 // segments received out of order
	SndWnd     uint32 // bytes: the window that the peer advertised
	RcvWnd     uint32 // bytes: the window that we advertised
	Rehash     uint32 // times the path's hash was changed

	TotalRTO, TotalRTORecoveries uint16
	TotalRTOTime                 time.Duration

	ReceivedCE                                           uint32 // segments
	DeliveredE1Bytes, DeliveredE0Bytes, DeliveredCEBytes uint32
	ReceivedE1Bytes, ReceivedE0Bytes, ReceivedCEBytes    uint32
	// AccECN is the word with the state of Accurate ECN, undivided: Linux
	// changed its inner layout after 6.18 without changing its size.
	AccECN uint32
}

// Get asks the system about a TCP connection.
func Get(c syscall.RawConn) (Info, error) {
	var info Info
	var err error
	if ctl := c.Control(func(fd uintptr) { info, err = GetFD(int(fd)) }); ctl != nil {
		return Info{}, fmt.Errorf("get TCP_INFO: %w", ctl)
	}
	return info, err
}

// Parse reads a struct tcp_info in this machine's byte order. What follows
// the newest field known here is ignored.
func Parse(b []byte) (Info, error) {
	var info Info
	if err := info.Decode(b); err != nil {
		return Info{}, err
	}
	return info, nil
}

// C allots bit-fields from the least significant bit on little-endian
// machines and from the most significant one on big-endian ones.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// nibbles splits tcpi_snd_wscale:4, tcpi_rcv_wscale:4.
func nibbles(b byte) (first, second uint8) {
	if littleEndian {
		return b & 0xf, b >> 4
	}
	return b >> 4, b & 0xf
}

// flags splits tcpi_delivery_rate_app_limited:1, tcpi_fastopen_client_fail:2.
func flags(b byte) (appLimited bool, fastOpenFail uint8) {
	if littleEndian {
		return b&1 != 0, b >> 1 & 3
	}
	return b>>7 != 0, b >> 5 & 3
}

// bits turns bytes per second into bits per second. All ones stay: there is
// no limit.
func bits(bytes uint64) uint64 {
	if bytes > math.MaxUint64/8 {
		return Unlimited
	}
	return bytes * 8
}
