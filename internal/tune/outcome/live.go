package outcome

// LiveSchema names the document of unchoke tune live.
const LiveSchema = "unchoke.tune.live/1"

// Live is what unchoke tune live did to connections that were open.
type Live struct {
	Schema string     `json:"schema"`
	Result LiveResult `json:"outcome"`
	CC     string     `json:"cc,omitempty"` // that was asked for
	// Module is what had to be loaded for it.
	Module string     `json:"module,omitempty"`
	Flows  []LiveFlow `json:"flows"`
	// Units are those whose later connections were changed.
	Units []LiveUnit `json:"units,omitempty"`
	// Window is how long each connection was watched before and after. The two
	// rates are no comparison: the path may have changed meanwhile.
	Window float64 `json:"window_s,omitempty"`
}

// LiveResult is what it came to for all together.
type LiveResult string

// The results. One connection is enough for the first two.
const (
	WasChanged  LiveResult = "changed"
	LiveUndone  LiveResult = "reverted"
	LiveNothing LiveResult = "unchanged"
)

// LiveFlow is one connection, and what became of it.
type LiveFlow struct {
	ID      string `json:"id"` // the kernel's cookie of the socket, in hexadecimal digits
	Local   string `json:"local"`
	Remote  string `json:"remote"`
	Process string `json:"process,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Unit    string `json:"unit,omitempty"`
	Old     string `json:"old_cc"`           // before
	New     string `json:"new_cc,omitempty"` // as read back; empty where it could not be
	State   Became `json:"state"`
	Why     string `json:"why,omitempty"` // it is as it is, where that was not asked for
	// Waited is how long it took until nothing was lost and not yet sent again.
	Waited float64 `json:"waited_s,omitempty"`
	Sends  bool    `json:"sends"` // this host sends most of the data; the rates are of that direction
	// Before and After are the rates over the window before and after, in payload
	// that arrived; nil where it was not measured.
	Before *float64 `json:"before_bps,omitempty"`
	After  *float64 `json:"after_bps,omitempty"`
}

// Became is the word for what became of a connection.
type Became string

// What may become of one.
const (
	LiveChanged    Became = "changed"
	LiveSame       Became = "same"       // it had the algorithm already
	LiveReverted   Became = "reverted"   // it has its old one again
	LiveEnded      Became = "ended"      // before it could be changed
	LiveRecovering Became = "recovering" // from loss, as long as was waited
	LiveRefused    Became = "refused"    // this user may not
	LiveOther      Became = "other"      // somebody changed it meanwhile: left alone
	LiveFailed     Became = "failed"
)

// LiveUnit is a unit whose later connections get another algorithm, and what
// became of that.
type LiveUnit struct {
	Unit  string `json:"unit"`
	Group string `json:"cgroup"` // below the root of control groups of version 2
	New   string `json:"new_cc"`
	State Became `json:"state"`
	Why   string `json:"why,omitempty"`
}
