package tcpinfo

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// Decode is Parse into an Info that exists: it overwrites all of it and
// allocates nothing. On an error the Info is as it was.
func (i *Info) Decode(b []byte) error {
	if len(b) < MinLength {
		return fmt.Errorf("parse tcp_info: %d bytes, need at least %d", len(b), MinLength)
	}
	// What the kernel did not give reads as zero; of a field that it gave in
	// part nothing counts.
	var d decoder
	copy(d[:], b[:whole[min(len(b), len(d))]])
	i.System, i.Length = Linux, len(b)
	i.SndWscale, i.RcvWscale = nibbles(d[6])
	i.AppLimited, i.FastOpenFail = flags(d[7])
	i.State = State(d.u8(FieldState))
	i.CAState = CAState(d.u8(FieldCAState))
	i.Retransmits = d.u8(FieldRetransmits)
	i.Probes = d.u8(FieldProbes)
	i.Backoff = d.u8(FieldBackoff)
	i.Options = Options(d.u8(FieldOptions))
	i.RTO = micros.times(uint64(d.u32(FieldRTO)))
	i.ATO = micros.times(uint64(d.u32(FieldATO)))
	i.SndMSS = d.u32(FieldSndMSS)
	i.RcvMSS = d.u32(FieldRcvMSS)
	i.Unacked = d.u32(FieldUnacked)
	i.Sacked = d.u32(FieldSacked)
	i.Lost = d.u32(FieldLost)
	i.Retrans = d.u32(FieldRetrans)
	i.Fackets = d.u32(FieldFackets)
	i.LastDataSent = millis.times(uint64(d.u32(FieldLastDataSent)))
	i.LastAckSent = millis.times(uint64(d.u32(FieldLastAckSent)))
	i.LastDataRecv = millis.times(uint64(d.u32(FieldLastDataRecv)))
	i.LastAckRecv = millis.times(uint64(d.u32(FieldLastAckRecv)))
	i.PMTU = d.u32(FieldPMTU)
	i.RcvSsthresh = d.u32(FieldRcvSsthresh)
	i.RTT = micros.times(uint64(d.u32(FieldRTT)))
	i.RTTVar = micros.times(uint64(d.u32(FieldRTTVar)))
	i.SndSsthresh = d.u32(FieldSndSsthresh)
	i.SndCwnd = d.u32(FieldSndCwnd)
	i.AdvMSS = d.u32(FieldAdvMSS)
	i.Reordering = d.u32(FieldReordering)
	i.RcvRTT = micros.times(uint64(d.u32(FieldRcvRTT)))
	i.RcvSpace = d.u32(FieldRcvSpace)
	i.TotalRetrans = d.u32(FieldTotalRetrans)
	i.PacingRate = bits(d.u64(FieldPacingRate))
	i.MaxPacingRate = bits(d.u64(FieldMaxPacingRate))
	i.BytesAcked = d.u64(FieldBytesAcked)
	i.BytesReceived = d.u64(FieldBytesReceived)
	i.SegsOut = d.u32(FieldSegsOut)
	i.SegsIn = d.u32(FieldSegsIn)
	i.NotsentBytes = d.u32(FieldNotsentBytes)
	i.MinRTT = micros.times(uint64(d.u32(FieldMinRTT)))
	i.DataSegsIn = d.u32(FieldDataSegsIn)
	i.DataSegsOut = d.u32(FieldDataSegsOut)
	i.DeliveryRate = bits(d.u64(FieldDeliveryRate))
	i.BusyTime = micros.times(d.u64(FieldBusyTime))
	i.RwndLimited = micros.times(d.u64(FieldRwndLimited))
	i.SndbufLimited = micros.times(d.u64(FieldSndbufLimited))
	i.Delivered = d.u32(FieldDelivered)
	i.DeliveredCE = d.u32(FieldDeliveredCE)
	i.BytesSent = d.u64(FieldBytesSent)
	i.BytesRetrans = d.u64(FieldBytesRetrans)
	i.DSACKDups = d.u32(FieldDSACKDups)
	i.ReordSeen = d.u32(FieldReordSeen)
	i.RcvOOOPack = d.u32(FieldRcvOOOPack)
	i.SndWnd = d.u32(FieldSndWnd)
	i.RcvWnd = d.u32(FieldRcvWnd)
	i.Rehash = d.u32(FieldRehash)
	i.TotalRTO = d.u16(FieldTotalRTO)
	i.TotalRTORecoveries = d.u16(FieldTotalRTORecoveries)
	i.TotalRTOTime = millis.times(uint64(d.u32(FieldTotalRTOTime)))
	i.ReceivedCE = d.u32(FieldReceivedCE)
	i.DeliveredE1Bytes = d.u32(FieldDeliveredE1Bytes)
	i.DeliveredE0Bytes = d.u32(FieldDeliveredE0Bytes)
	i.DeliveredCEBytes = d.u32(FieldDeliveredCEBytes)
	i.ReceivedE1Bytes = d.u32(FieldReceivedE1Bytes)
	i.ReceivedE0Bytes = d.u32(FieldReceivedE0Bytes)
	i.ReceivedCEBytes = d.u32(FieldReceivedCEBytes)
	i.AccECN = d.u32(FieldAccECN)
	return nil
}

// decoder is a struct tcp_info up to the newest field known here. A field is
// named by its end.
type decoder [FieldAccECN]byte

func (d *decoder) u8(f Field) uint8   { return d[f-1] }
func (d *decoder) u16(f Field) uint16 { return binary.NativeEndian.Uint16(d[f-2 : f]) }
func (d *decoder) u32(f Field) uint32 { return binary.NativeEndian.Uint32(d[f-4 : f]) }
func (d *decoder) u64(f Field) uint64 { return binary.NativeEndian.Uint64(d[f-8 : f]) }

// whole tells how many of a structure's first bytes are whole fields, for each
// length of it.
var whole = func() (out [FieldAccECN + 1]int) {
	for n := range out {
		out[n] = min(n, MinLength)
		for _, m := range members {
			if n >= int(m.field) && int(m.field) > MinLength {
				out[n] = int(m.field)
			}
		}
	}
	return out
}()

// times turns so many ticks of a scale into a duration, the largest one where
// there are too many.
func (s scale) times(ticks uint64) time.Duration {
	return time.Duration(min(ticks, uint64(math.MaxInt64/s.unit()))) * s.unit()
}
