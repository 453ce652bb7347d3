package hosts

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	stoppedShare  = 0.5
	busyCore      = 0.95
	carriersShare = 0.75
	ownShare      = 0.5
	shapedShare   = 0.2
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &stoppedShare, Name: "stopped-share", Why: "of its periods: a program that is stopped in more of them had more to do than its limit allows most of the time; with a limit that does not hold it back it is stopped in none or in few (measured: 0.95 to 1, and 0 to 0.05)"},
	{At: &busyCore, Name: "busy-core", Why: "a core without rest: what is left is the error of counting in hundredths of a second over seconds, and the kernel's own wake-ups"},
	{At: &carriersShare, Name: "carriers-share", Why: "of a full core goes to packets: what else runs there then takes less than a third of what the stream has, the gain from which a stream is called slow"},
	{At: &ownShare, Name: "own-share", Why: "of a full core goes to a host's own TCP: more than to all else there, so that the stream would gain less than twice from what else runs"},
	{At: &shapedShare, Name: "shaped-share", Why: "of the packets had to wait for a shaper: one that limits the rate holds back each that comes while its bucket is empty; one that does not is met by the start's bursts alone"},
}
