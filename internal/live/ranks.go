//go:build !slim

package live

import "unchoke/internal/finding"

// Ranks of the packets at the instants of loss. Where chance decides, the packet before
// a lost one waited longer than half of all; where a queue overflows, than nearly all.
// The same holds for how much was on its way.
const (
	AnyRank    = 0.65 // and less: as if by chance
	FullerRank = 0.7
	HighRank   = 0.8
	TopRank    = 0.9
)

// SomeForeign is the share of packets that waited for others' from which others use
// the path.
const SomeForeign = 0.2

// LossEvidence is what the headers tell of the losses; nothing where there were none.
func (p *Packets) LossEvidence() []finding.Evidence {
	if p.Occasions == 0 {
		return nil
	}
	return []finding.Evidence{
		{What: "occasions of loss", Value: float64(p.Occasions), Unit: finding.Count},
		{What: "packets that waited less than the one before a loss", Value: p.Waited, Unit: finding.Ratio},
		{What: "packets that left with less on its way than the lost one", Value: p.Filled, Unit: finding.Ratio},
	}
}

// PassesEvidence is what passes in one go.
func (p *Packets) PassesEvidence() finding.Evidence {
	return finding.Evidence{What: "passes in one go, by the packets' headers", Value: p.Passes, Unit: finding.BitRate}
}
