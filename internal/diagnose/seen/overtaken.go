package seen

// OvertakenMost is the share of the packets that were overtaken in the rung where most
// were: a queue that stands, as in rungs above the ceiling, sends them on in order.
func OvertakenMost(rungs []Rung) float64 {
	most := 0.0
	for _, r := range rungs {
		if r.Packets >= tellingOrder {
			most = max(most, float64(r.Reordered)/float64(r.Packets))
		}
	}
	return most
}

// tellingOrder packets tell a share to a tenth.
const tellingOrder = 50
