package fleet

// Stage is how far a rollout is with one host.
//
//	Waiting ──look──▶ Waiting (verdict known), or Passed where nothing is to change
//	   │                or where it was refused and the rollout goes on without it
//	   ├─measure──▶ Measured
//	Measured ──try──▶ Trying ──▶ Tried ──verify, on a new connection──▶ Verified
//	Verified ──confirm──▶ Confirmed ──measure──▶ Judged ──keep──▶ Kept
//	any from Trying on, where its batch failed ──revert──▶ Reverting ──▶ Reverted
//	any from Trying on, where the host does not answer ──▶ Adrift
//	Adrift, and after a resume all from Trying on ──inspect──▶ as its journal says
type Stage string

// The stages.
const (
	Waiting   Stage = "waiting"
	Passed    Stage = "passed" // untouched, for good
	Measured  Stage = "measured"
	Trying    Stage = "trying" // it was asked to, and may have
	Tried     Stage = "tried"  // its timer runs
	Verified  Stage = "verified"
	Confirmed Stage = "confirmed" // until the next reboot
	Judged    Stage = "judged"    // and not slower
	Keeping   Stage = "keeping"
	Kept      Stage = "kept" // for good
	Reverting Stage = "reverting"
	Reverted  Stage = "reverted"
	// Adrift is a host that was touched and does not answer. What was not confirmed
	// there its own timer takes back.
	Adrift Stage = "adrift"
)

// Touched says that the host may be another than before the rollout.
func (s Stage) Touched() bool {
	switch s {
	case Waiting, Passed, Measured, Reverted:
		return false
	}
	return true
}

// Token confirms the trial that is under way there.
func (e *Entry) Token() string { return e.token }

// Share is how much of the work on a host is done, from 0 to 1.
func (e *Entry) Share() float64 {
	switch e.Stage {
	case Waiting:
		return 0
	case Measured, Trying:
		return 0.3
	case Tried, Verified:
		return 0.5
	case Confirmed:
		return 0.6
	case Judged, Keeping:
		return 0.9
	}
	return 1
}

// settled says that nothing is left to be done in a rollout that goes on.
func (s Stage) settled() bool { return s == Passed || s == Kept }
