package tcpinfo

import "time"

// A Field names one member of struct tcp_info. Its value is the offset just
// past the member, so that a kernel which gave n bytes gave every field ≤ n.
// The offsets are those of include/uapi/linux/tcp.h, which are the same on
// every architecture: the 64-bit members start at a multiple of eight.
type Field int

// The members of struct tcp_info, in order, and the first kernel with each
// where it is not older than Linux 2.6.
const (
	FieldState         Field = 1
	FieldCAState       Field = 2
	FieldRetransmits   Field = 3
	FieldProbes        Field = 4
	FieldBackoff       Field = 5
	FieldOptions       Field = 6
	FieldWindowScale   Field = 7
	FieldAppLimited    Field = 8 // 4.9; the fastopen bits beside it 5.5
	FieldRTO           Field = 12
	FieldATO           Field = 16
	FieldSndMSS        Field = 20
	FieldRcvMSS        Field = 24
	FieldUnacked       Field = 28
	FieldSacked        Field = 32
	FieldLost          Field = 36
	FieldRetrans       Field = 40
	FieldFackets       Field = 44
	FieldLastDataSent  Field = 48
	FieldLastAckSent   Field = 52
	FieldLastDataRecv  Field = 56
	FieldLastAckRecv   Field = 60
	FieldPMTU          Field = 64
	FieldRcvSsthresh   Field = 68
	FieldRTT           Field = 72
	FieldRTTVar        Field = 76
	FieldSndSsthresh   Field = 80
	FieldSndCwnd       Field = 84
	FieldAdvMSS        Field = 88
	FieldReordering    Field = 92
	FieldRcvRTT        Field = 96
	FieldRcvSpace      Field = 100
	FieldTotalRetrans  Field = 104
	FieldPacingRate    Field = 112 // 3.15
	FieldMaxPacingRate Field = 120 // 3.15
	FieldBytesAcked    Field = 128 // 4.1
	FieldBytesReceived Field = 136 // 4.1
	FieldSegsOut       Field = 140 // 4.2
	FieldSegsIn        Field = 144 // 4.2
	FieldNotsentBytes  Field = 148 // 4.6
	FieldMinRTT        Field = 152 // 4.6
	FieldDataSegsIn    Field = 156 // 4.6
	FieldDataSegsOut   Field = 160 // 4.6
	FieldDeliveryRate  Field = 168 // 4.9
	FieldBusyTime      Field = 176 // 4.10
	FieldRwndLimited   Field = 184 // 4.10
	FieldSndbufLimited Field = 192 // 4.10
	FieldDelivered     Field = 196 // 4.18
	FieldDeliveredCE   Field = 200 // 4.18
	FieldBytesSent     Field = 208 // 4.19
	FieldBytesRetrans  Field = 216 // 4.19
	FieldDSACKDups     Field = 220 // 4.19
	FieldReordSeen     Field = 224 // 4.19
	FieldRcvOOOPack    Field = 228 // 5.4
	FieldSndWnd        Field = 232 // 5.4
	FieldRcvWnd        Field = 236 // 6.2
	FieldRehash        Field = 240 // 6.2

	FieldTotalRTO           Field = 242 // 6.7
	FieldTotalRTORecoveries Field = 244 // 6.7
	FieldTotalRTOTime       Field = 248 // 6.7

	FieldReceivedCE       Field = 252 // 6.18, as are those that follow
	FieldDeliveredE1Bytes Field = 256
	FieldDeliveredE0Bytes Field = 260
	FieldDeliveredCEBytes Field = 264
	FieldReceivedE1Bytes  Field = 268
	FieldReceivedE0Bytes  Field = 272
	FieldReceivedCEBytes  Field = 276
	FieldAccECN           Field = 280
)

// A scale says what a number of struct tcp_info counts.
type scale int

const (
	plain       scale = iota
	micros            // microseconds
	millis            // milliseconds
	bytesPerSec       // bytes per second; all ones mean no limit
)

// A member ties a field to its place in Info and in JSON.
type member struct {
	field Field
	size  int
	scale scale
	key   string
	at    func(*Info) any // pointer into the Info
}

// members lists every field that is a whole number; those made of bits are
// read by Parse itself.
var members = []member{
	{FieldState, 1, plain, "state", func(i *Info) any { return &i.State }},
	{FieldCAState, 1, plain, "ca_state", func(i *Info) any { return &i.CAState }},
	{FieldRetransmits, 1, plain, "retransmits", func(i *Info) any { return &i.Retransmits }},
	{FieldProbes, 1, plain, "probes", func(i *Info) any { return &i.Probes }},
	{FieldBackoff, 1, plain, "backoff", func(i *Info) any { return &i.Backoff }},
	{FieldOptions, 1, plain, "options", func(i *Info) any { return &i.Options }},
	{FieldRTO, 4, micros, "rto_s", func(i *Info) any { return &i.RTO }},
	{FieldATO, 4, micros, "ato_s", func(i *Info) any { return &i.ATO }},
	{FieldSndMSS, 4, plain, "snd_mss_bytes", func(i *Info) any { return &i.SndMSS }},
	{FieldRcvMSS, 4, plain, "rcv_mss_bytes", func(i *Info) any { return &i.RcvMSS }},
	{FieldUnacked, 4, plain, "unacked_segments", func(i *Info) any { return &i.Unacked }},
	{FieldSacked, 4, plain, "sacked_segments", func(i *Info) any { return &i.Sacked }},
	{FieldLost, 4, plain, "lost_segments", func(i *Info) any { return &i.Lost }},
	{FieldRetrans, 4, plain, "retrans_segments", func(i *Info) any { return &i.Retrans }},
	{FieldFackets, 4, plain, "fackets_segments", func(i *Info) any { return &i.Fackets }},
	{FieldLastDataSent, 4, millis, "last_data_sent_s", func(i *Info) any { return &i.LastDataSent }},
	{FieldLastAckSent, 4, millis, "last_ack_sent_s", func(i *Info) any { return &i.LastAckSent }},
	{FieldLastDataRecv, 4, millis, "last_data_recv_s", func(i *Info) any { return &i.LastDataRecv }},
	{FieldLastAckRecv, 4, millis, "last_ack_recv_s", func(i *Info) any { return &i.LastAckRecv }},
	{FieldPMTU, 4, plain, "pmtu_bytes", func(i *Info) any { return &i.PMTU }},
	{FieldRcvSsthresh, 4, plain, "rcv_ssthresh_bytes", func(i *Info) any { return &i.RcvSsthresh }},
	{FieldRTT, 4, micros, "rtt_s", func(i *Info) any { return &i.RTT }},
	{FieldRTTVar, 4, micros, "rttvar_s", func(i *Info) any { return &i.RTTVar }},
	{FieldSndSsthresh, 4, plain, "snd_ssthresh_segments", func(i *Info) any { return &i.SndSsthresh }},
	{FieldSndCwnd, 4, plain, "snd_cwnd_segments", func(i *Info) any { return &i.SndCwnd }},
	{FieldAdvMSS, 4, plain, "advmss_bytes", func(i *Info) any { return &i.AdvMSS }},
	{FieldReordering, 4, plain, "reordering_segments", func(i *Info) any { return &i.Reordering }},
	{FieldRcvRTT, 4, micros, "rcv_rtt_s", func(i *Info) any { return &i.RcvRTT }},
	{FieldRcvSpace, 4, plain, "rcv_space_bytes", func(i *Info) any { return &i.RcvSpace }},
	{FieldTotalRetrans, 4, plain, "total_retrans_segments", func(i *Info) any { return &i.TotalRetrans }},
	{FieldPacingRate, 8, bytesPerSec, "pacing_rate_bps", func(i *Info) any { return &i.PacingRate }},
	{FieldMaxPacingRate, 8, bytesPerSec, "max_pacing_rate_bps", func(i *Info) any { return &i.MaxPacingRate }},
	{FieldBytesAcked, 8, plain, "bytes_acked", func(i *Info) any { return &i.BytesAcked }},
	{FieldBytesReceived, 8, plain, "bytes_received", func(i *Info) any { return &i.BytesReceived }},
	{FieldSegsOut, 4, plain, "segs_out", func(i *Info) any { return &i.SegsOut }},
	{FieldSegsIn, 4, plain, "segs_in", func(i *Info) any { return &i.SegsIn }},
	{FieldNotsentBytes, 4, plain, "notsent_bytes", func(i *Info) any { return &i.NotsentBytes }},
	{FieldMinRTT, 4, micros, "min_rtt_s", func(i *Info) any { return &i.MinRTT }},
	{FieldDataSegsIn, 4, plain, "data_segs_in", func(i *Info) any { return &i.DataSegsIn }},
	{FieldDataSegsOut, 4, plain, "data_segs_out", func(i *Info) any { return &i.DataSegsOut }},
	{FieldDeliveryRate, 8, bytesPerSec, "delivery_rate_bps", func(i *Info) any { return &i.DeliveryRate }},
	{FieldBusyTime, 8, micros, "busy_time_s", func(i *Info) any { return &i.BusyTime }},
	{FieldRwndLimited, 8, micros, "rwnd_limited_s", func(i *Info) any { return &i.RwndLimited }},
	{FieldSndbufLimited, 8, micros, "sndbuf_limited_s", func(i *Info) any { return &i.SndbufLimited }},
	{FieldDelivered, 4, plain, "delivered_segments", func(i *Info) any { return &i.Delivered }},
	{FieldDeliveredCE, 4, plain, "delivered_ce_segments", func(i *Info) any { return &i.DeliveredCE }},
	{FieldBytesSent, 8, plain, "bytes_sent", func(i *Info) any { return &i.BytesSent }},
	{FieldBytesRetrans, 8, plain, "bytes_retrans", func(i *Info) any { return &i.BytesRetrans }},
	{FieldDSACKDups, 4, plain, "dsack_dups", func(i *Info) any { return &i.DSACKDups }},
	{FieldReordSeen, 4, plain, "reord_seen", func(i *Info) any { return &i.ReordSeen }},
	{FieldRcvOOOPack, 4, plain, "rcv_ooopack", func(i *Info) any { return &i.RcvOOOPack }},
	{FieldSndWnd, 4, plain, "snd_wnd_bytes", func(i *Info) any { return &i.SndWnd }},
	{FieldRcvWnd, 4, plain, "rcv_wnd_bytes", func(i *Info) any { return &i.RcvWnd }},
	{FieldRehash, 4, plain, "rehash", func(i *Info) any { return &i.Rehash }},
	{FieldTotalRTO, 2, plain, "total_rto", func(i *Info) any { return &i.TotalRTO }},
	{FieldTotalRTORecoveries, 2, plain, "total_rto_recoveries", func(i *Info) any { return &i.TotalRTORecoveries }},
	{FieldTotalRTOTime, 4, millis, "total_rto_time_s", func(i *Info) any { return &i.TotalRTOTime }},
	{FieldReceivedCE, 4, plain, "received_ce_segments", func(i *Info) any { return &i.ReceivedCE }},
	{FieldDeliveredE1Bytes, 4, plain, "delivered_e1_bytes", func(i *Info) any { return &i.DeliveredE1Bytes }},
	{FieldDeliveredE0Bytes, 4, plain, "delivered_e0_bytes", func(i *Info) any { return &i.DeliveredE0Bytes }},
	{FieldDeliveredCEBytes, 4, plain, "delivered_ce_bytes", func(i *Info) any { return &i.DeliveredCEBytes }},
	{FieldReceivedE1Bytes, 4, plain, "received_e1_bytes", func(i *Info) any { return &i.ReceivedE1Bytes }},
	{FieldReceivedE0Bytes, 4, plain, "received_e0_bytes", func(i *Info) any { return &i.ReceivedE0Bytes }},
	{FieldReceivedCEBytes, 4, plain, "received_ce_bytes", func(i *Info) any { return &i.ReceivedCEBytes }},
	{FieldAccECN, 4, plain, "accecn_raw", func(i *Info) any { return &i.AccECN }},
}

// unit returns the length of one tick of a time scale.
func (s scale) unit() time.Duration {
	if s == millis {
		return time.Millisecond
	}
	return time.Microsecond
}
