package tcpinfo

import "fmt"

// Offsets in Windows' TCP_INFO_v0 and TCP_INFO_v1 (mstcpip.h, the same on every
// architecture: ULONG64 is aligned to eight; learn.microsoft.com,
// ns-mstcpip-tcp_info_v1, says what each is). Version 1 appends to version 0.
const (
	windowsState    = 0
	windowsMss      = 4
	windowsRTT      = 20 // microseconds
	windowsMinRTT   = 24 // microseconds
	windowsInFlight = 28 // bytes
	windowsCwnd     = 32 // bytes
	windowsSndWnd   = 36
	windowsRcvWnd   = 40
	windowsBytesOut = 48
	windowsBytesIn  = 56
	windowsRetrans  = 68  // bytes
	windowsEpisodes = 80  // of retransmission timeouts; one may have several
	windowsV0       = 88  // its length
	windowsTimeRwin = 92  // milliseconds limited by the peer's window
	windowsTimeCwnd = 108 // milliseconds limited by the congestion window
	windowsV1       = 136 // its length
)

// windowsFields are what each version tells: segments are not counted, and
// BytesOut is not said to be acknowledged. TimestampsEnabled is one of five
// options, and no Options by itself.
var windowsFields = source{
	FieldState: windowsV0, FieldSndMSS: windowsV0, FieldUnacked: windowsV0,
	FieldRTT: windowsV0, FieldMinRTT: windowsV0, FieldSndCwnd: windowsV0, FieldSndWnd: windowsV0, FieldRcvWnd: windowsV0,
	FieldBytesSent: windowsV0, FieldBytesReceived: windowsV0, FieldBytesRetrans: windowsV0,
	FieldTotalRTORecoveries: windowsV0,
	FieldBusyTime:           windowsV1, FieldRwndLimited: windowsV1,
}

// windowsStates are TCPSTATE, by its numbers.
var windowsStates = [...]State{Close, Listen, SynSent, SynRecv, Established, FinWait1, FinWait2, CloseWait, Closing, LastAck, TimeWait}

// ParseSIOTCPInfo reads Windows' TCP_INFO_v0 or, where there is that much of it,
// TCP_INFO_v1 (WSAIoctl(SIO_TCP_INFO)), in this machine's byte order. Windows in
// bytes become segments, rounded up. BusyTime is the time limited by the peer's
// window and by the congestion window: the rest is the program's.
func ParseSIOTCPInfo(b []byte) (Info, error) {
	if len(b) < windowsV0 {
		return Info{}, fmt.Errorf("parse TCP_INFO_v0: %d bytes, need at least %d", len(b), windowsV0)
	}
	d := foreign(b)
	mss := d.u32(windowsMss)
	if mss == 0 {
		return Info{}, errNoSegment("TCP_INFO_v0")
	}
	i := Info{
		System: Windows, Length: len(b), SndMSS: mss,
		RTT: micros.times(uint64(d.u32(windowsRTT))), MinRTT: micros.times(uint64(d.u32(windowsMinRTT))),
		Unacked: segments(d.u32(windowsInFlight), mss), SndCwnd: segments(d.u32(windowsCwnd), mss),
		SndWnd: d.u32(windowsSndWnd), RcvWnd: d.u32(windowsRcvWnd),
		BytesSent: d.u64(windowsBytesOut), BytesReceived: d.u64(windowsBytesIn),
		BytesRetrans:       uint64(d.u32(windowsRetrans)),
		TotalRTORecoveries: uint16(min(d.u32(windowsEpisodes), 0xffff)),
	}
	if state := d.u32(windowsState); state < uint32(len(windowsStates)) {
		i.State = windowsStates[state]
	}
	if len(b) >= windowsV1 {
		i.RwndLimited = millis.times(uint64(d.u32(windowsTimeRwin)))
		i.BusyTime = i.RwndLimited + millis.times(uint64(d.u32(windowsTimeCwnd)))
	}
	return i, nil
}
