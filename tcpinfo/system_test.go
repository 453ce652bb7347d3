package tcpinfo

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// connectionInfo is struct tcp_connection_info as xnu's header declares it. Go
// aligns its members as C does there. No capture of one is at hand: what tests
// read is made from this.
type connectionInfo struct {
	State, SndWscale, RcvWscale, _                         uint8
	Options, Flags                                         uint32
	RTO, Maxseg, SndSsthresh, SndCwnd, SndWnd, SndSbbytes  uint32
	RcvWnd, RTTCur, SRTT, RTTVar, TFO                      uint32
	TxPackets, TxBytes, TxRetransBytes, RxPackets, RxBytes uint64
	RxOutOfOrderBytes, TxRetransPackets                    uint64
}

// sioTCPInfoV1 is TCP_INFO_v1 as mstcpip.h declares it, with what C leaves empty
// written out.
type sioTCPInfoV1 struct {
	State, Mss                                                   uint32
	ConnectionTimeMs                                             uint64
	TimestampsEnabled                                            uint8
	_                                                            [3]byte
	RttUs, MinRttUs, BytesInFlight, Cwnd, SndWnd, RcvWnd, RcvBuf uint32
	BytesOut, BytesIn                                            uint64
	BytesReordered, BytesRetrans, FastRetrans, DupAcksIn         uint32
	TimeoutEpisodes                                              uint32
	SynRetrans                                                   uint8
	_                                                            [3]byte
	TransRwin, TimeRwin                                          uint32
	BytesRwin                                                    uint64
	TransCwnd, TimeCwnd                                          uint32
	BytesCwnd                                                    uint64
	TransSnd, TimeSnd                                            uint32
	BytesSnd                                                     uint64
}

func structure(t testing.TB, v any, length int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.NativeEndian, v); err != nil {
		t.Fatal(err)
	}
	if b.Len() != length {
		t.Fatalf("%T has %d bytes, want %d", v, b.Len(), length)
	}
	return b.Bytes()
}

// A sender of 100 Mbit/s that recovers from loss, with 30 ms of RTT.
func darwinSender(t testing.TB) []byte {
	return structure(t, connectionInfo{
		State: 4, SndWscale: 7, RcvWscale: 6, Options: 0x7, Flags: 1,
		RTO: 230, Maxseg: 1448, SndSsthresh: 144_801, SndCwnd: 289_600, SndWnd: 1 << 20, SndSbbytes: 131_072,
		RcvWnd: 131_072, RTTCur: 31, SRTT: 30, RTTVar: 2, TFO: 0xffff_ffff,
		TxPackets: 9000, TxBytes: 13_032_000, TxRetransBytes: 14_480, RxPackets: 3, RxBytes: 120, RxOutOfOrderBytes: 7, TxRetransPackets: 10,
	}, 112)
}

func windowsSender(t testing.TB) []byte {
	return structure(t, sioTCPInfoV1{
		State: 4, Mss: 1460, ConnectionTimeMs: 10_000, TimestampsEnabled: 1,
		RttUs: 30_123, MinRttUs: 29_001, BytesInFlight: 14_601, Cwnd: 29_200, SndWnd: 65_536, RcvWnd: 262_144, RcvBuf: 1 << 20,
		BytesOut: 1 << 33, BytesIn: 120, BytesReordered: 1, BytesRetrans: 2920, FastRetrans: 2, DupAcksIn: 9, TimeoutEpisodes: 3, SynRetrans: 1,
		TransRwin: 1, TimeRwin: 2500, BytesRwin: 4, TransCwnd: 5, TimeCwnd: 6000, BytesCwnd: 7, TransSnd: 8, TimeSnd: 1500, BytesSnd: 10,
	}, 136)
}

func TestParseConnectionInfo(t *testing.T) {
	b := darwinSender(t)
	want := Info{
		System: Darwin, Length: 112, State: Established, CAState: CARecovery, SndWscale: 7, RcvWscale: 6,
		Options: OptTimestamps | OptSACK | OptWscale, RTO: 230 * time.Millisecond, SndMSS: 1448,
		RTT: 30 * time.Millisecond, RTTVar: 2 * time.Millisecond, SndSsthresh: 101, SndCwnd: 200, SndWnd: 1 << 20, RcvWnd: 131_072,
		DataSegsOut: 9000, DataSegsIn: 3, BytesSent: 13_032_000, BytesReceived: 120, BytesRetrans: 14_480, TotalRetrans: 10,
	}
	if got, err := ParseConnectionInfo(b); err != nil || got != want {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	// Before macOS 10.13 packets that were sent again were not counted.
	old, err := ParseConnectionInfo(b[:104])
	if err != nil || old.Has(FieldTotalRetrans) || old.TotalRetrans != 0 || !old.Has(FieldBytesRetrans) {
		t.Errorf("%+v, %v", old, err)
	}
	binary.NativeEndian.PutUint32(b[20:], 65535<<14)
	if first, err := ParseConnectionInfo(b); err != nil || first.SndSsthresh != 0x7fffffff {
		t.Errorf("the first slow start: %d, %v", first.SndSsthresh, err)
	}
	for state, name := range []string{"close", "listen", "syn-sent", "syn-recv", "established", "close-wait", "fin-wait-1", "closing", "last-ack", "fin-wait-2", "time-wait", "0"} {
		b[0] = byte(state)
		if i, err := ParseConnectionInfo(b); err != nil || i.State.String() != name {
			t.Errorf("state %d is %v, %v", state, i.State, err)
		}
	}
}

func TestParseSIOTCPInfo(t *testing.T) {
	b := windowsSender(t)
	want := Info{
		System: Windows, Length: 136, State: Established, SndMSS: 1460,
		RTT: 30_123 * time.Microsecond, MinRTT: 29_001 * time.Microsecond, Unacked: 11, SndCwnd: 20, SndWnd: 65_536, RcvWnd: 262_144,
		BytesSent: 1 << 33, BytesReceived: 120, BytesRetrans: 2920, TotalRTORecoveries: 3,
		RwndLimited: 2500 * time.Millisecond, BusyTime: 8500 * time.Millisecond,
	}
	if got, err := ParseSIOTCPInfo(b); err != nil || got != want {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	v0, err := ParseSIOTCPInfo(b[:88])
	if err != nil || v0.Has(FieldBusyTime) || v0.BusyTime != 0 || !v0.Has(FieldMinRTT) || v0.Has(FieldSndbufLimited) {
		t.Errorf("version 0: %+v, %v", v0, err)
	}
	for state, name := range []string{"close", "listen", "syn-sent", "syn-recv", "established", "fin-wait-1", "fin-wait-2", "close-wait", "closing", "last-ack", "time-wait", "0"} {
		binary.NativeEndian.PutUint32(b, uint32(state))
		if i, err := ParseSIOTCPInfo(b); err != nil || i.State.String() != name {
			t.Errorf("state %d is %v, %v", state, i.State, err)
		}
	}
}

// foreignSystems are what both readers have in common.
var foreignSystems = []struct {
	name  string
	parse func([]byte) (Info, error)
	whole func(testing.TB) []byte
	mss   int // where the segment's size is
}{
	{"darwin", ParseConnectionInfo, darwinSender, 16},
	{"windows", ParseSIOTCPInfo, windowsSender, 4},
}

// What another system does not tell is absent, and zero; JSON leaves it out, and
// loses nothing.
func TestForeignFields(t *testing.T) {
	for _, s := range foreignSystems {
		whole := s.whole(t)
		for n := range len(whole) + 1 {
			i, err := s.parse(whole[:n])
			if err != nil {
				if n >= 104 {
					t.Errorf("%s: %d bytes: %v", s.name, n, err)
				}
				continue
			}
			doc, err := json.Marshal(i)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range members {
				if present := strings.Contains(string(doc), `"`+m.key+`":`); present != i.Has(m.field) {
					t.Errorf("%s: %d bytes: has %s: %v, in JSON: %v", s.name, n, m.key, i.Has(m.field), present)
				}
				if !i.Has(m.field) && !reflect.ValueOf(m.at(&i)).Elem().IsZero() {
					t.Errorf("%s: %d bytes: %s is not there, and is not zero", s.name, n, m.key)
				}
			}
			var again Info
			if err := json.Unmarshal(doc, &again); err != nil || again != i || !strings.Contains(string(doc), `"system":"`+s.name+`"`) {
				t.Errorf("%s became %+v, %v", doc, again, err)
			}
		}
		clear(whole[s.mss : s.mss+4])
		if _, err := s.parse(whole); err == nil {
			t.Errorf("%s: windows without a segment's size", s.name)
		}
	}
}

func FuzzForeign(f *testing.F) {
	f.Add(darwinSender(f))
	f.Add(windowsSender(f))
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, s := range foreignSystems {
			i, err := s.parse(b)
			if err != nil {
				continue
			}
			doc, err := json.Marshal(i)
			var again Info
			if err == nil {
				err = json.Unmarshal(doc, &again)
			}
			if err != nil || again != i {
				t.Errorf("%s: %+v became %+v, %v", s.name, i, again, err)
			}
		}
	})
}
