package render

import (
	"fmt"
	"math"

	"unchoke/internal/finding"
)

// Evidence prints a piece of evidence's value in a unit that people read.
func Evidence(e finding.Evidence) string {
	switch e.Unit {
	case finding.BitRate:
		return Rate(e.Value)
	case finding.Seconds:
		return Time(e.Value)
	case finding.Ratio:
		return Ratio(e.Value)
	case finding.Bytes:
		if e.Value < packetSizes && e.Value == math.Trunc(e.Value) {
			return fmt.Sprintf("%.0f B", e.Value)
		}
		return Size(e.Value)
	}
	return Count(e.Value)
}

// packetSizes are below this, and one byte of them matters.
const packetSizes = 10_000
