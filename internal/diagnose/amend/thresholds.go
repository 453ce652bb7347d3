package amend

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	sshWindowShare = 0.7
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &sshWindowShare, Name: "ssh-window-share", Why: "of what SSH's window lets through in a round trip: it is renewed when a part of it is used up, so that a stream it limits stays somewhat below"},
}
