package ends

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table.
var (
	dropsShare  = 0.5
	repairShare = 0.25
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &dropsShare, Name: "drops-share", Why: "of the stream's losses were a socket's drops: without them less than half are left, and a loss-based stream carries 1.4 times as much or more (√2, RFC 9438 §5.1)"},
	{At: &repairShare, Name: "repair-share", Why: "of its time a sender without selective acknowledgements repairs losses: a third more needs a quarter of the time"},
}
