package packets

import "unchoke/internal/record"

// startTrips are the round trips in which a stream makes up for what it lost first.
const startTrips = 3

// Started is a stream without its start: what comes after its first loss and a few
// round trips. Without a loss it is all of the stream.
func Started(p *record.Packets) *record.Packets {
	if p == nil || len(p.LostAt) == 0 {
		return p
	}
	lost := p.LostAt[0]
	for _, at := range p.LostAt {
		lost = min(lost, at)
	}
	out := *p
	out.Gap, out.Bytes, out.RTT, out.Flight = nil, nil, nil, nil
	out.LostAt, out.LostAgain, out.LostFlight = nil, nil, nil
	at, begins := int32(0), lost
	for i := range min(len(p.Gap), len(p.Bytes), len(p.RTT), len(p.Flight)) {
		at += p.Gap[i]
		if at <= lost && p.RTT[i] > 0 {
			begins = lost + startTrips*p.RTT[i]
		}
		if at < begins {
			continue
		}
		gap := p.Gap[i]
		if out.Gap == nil {
			gap = at // times remain since the beginning
		}
		out.Gap, out.Bytes = append(out.Gap, gap), append(out.Bytes, p.Bytes[i])
		out.RTT, out.Flight = append(out.RTT, p.RTT[i]), append(out.Flight, p.Flight[i])
	}
	for i := range min(len(p.LostAt), len(p.LostAgain), len(p.LostFlight)) {
		if p.LostAt[i] >= begins {
			out.LostAt, out.LostAgain = append(out.LostAt, p.LostAt[i]), append(out.LostAgain, p.LostAgain[i])
			out.LostFlight = append(out.LostFlight, p.LostFlight[i])
		}
	}
	return &out
}
