package iperf3

import "unchoke/tcpinfo"

// stream is the flow's account of the measured part, for the caller.
func (f *flow) stream() Stream {
	s := Stream{
		ID: f.id, Sending: f.sending,
		Start: f.begin.at, End: f.end.at,
		Bytes:       f.end.bytes - f.begin.bytes,
		Retransmits: f.retransmits(),
		Samples:     f.samples,
	}
	switch {
	case f.tcp != nil:
		s.Congestion, s.Buffer = f.tcp.Congestion(), f.tcp.Buffer(f.sending)
	case f.sending:
		s.Sent = f.sent
		s.Packets = f.end.packets - f.begin.packets
	default:
		begin, end := &f.begin.seq, &f.end.seq
		s.Packets = int64(end.Highest - begin.Highest)
		s.Lost = max(0, end.Lost()-begin.Lost())
		s.Reordered = end.Reordered - begin.Reordered
		s.Duplicates = end.Duplicates - begin.Duplicates
		s.Malformed = end.Malformed - begin.Malformed
		s.Jitter = end.Jitter()
		f.mu.Lock()
		s.Trace = f.trace
		f.mu.Unlock()
	}
	return s
}

// report is the flow's account for the peer.
func (f *flow) report() StreamReport {
	s := f.stream()
	r := StreamReport{
		ID: s.ID, Bytes: s.Bytes, Retransmits: s.Retransmits, Jitter: s.Jitter,
		Lost: s.Lost, Packets: s.Packets, End: s.End - s.Start,
	}
	switch {
	case f.tcp != nil:
	case f.sending:
		r.OmittedPackets = f.begin.packets
	default:
		r.OmittedPackets = int64(f.begin.seq.Highest)
		r.OmittedLost = f.begin.seq.Lost()
	}
	return r
}

// retransmits counts those of the measured part; −1 if the system does not
// tell, or the flow receives.
func (f *flow) retransmits() int64 {
	if f.tcp == nil || !f.sending || !f.end.info.Has(tcpinfo.FieldTotalRetrans) {
		return -1
	}
	return int64(f.end.info.TotalRetrans - f.begin.info.TotalRetrans) // begin's is 0 if unknown
}
