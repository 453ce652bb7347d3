package rules

import (
	"unchoke/internal/congestion"
	"unchoke/internal/diagnose/view"
)

// backsOff says that the stream is slow, that the network is what limits it for a fair
// share of the time, and that its sender takes lost packets for congestion, as far as known.
func backsOff(v *view.View) bool {
	return v.Slow() && v.Limits.Network >= view.LimitShare && congestion.LossBasedOrUnknown(v.CC)
}
