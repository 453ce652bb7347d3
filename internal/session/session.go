// Package session is how one unchoke asks another for what only the other end
// of a path knows. The far process, `unchoke session`, reads requests from its
// standard input and answers on its standard output, whatever carries them: SSH,
// a pipe, a socket.
//
//	near                             far
//	                           ←     hello: who runs here
//	request {"id":1,"do":…}    →
//	                           ←     replies {"id":1,…}, progress among them
//	request {"do":"ping"}      →     every remote.Beat
//	request {"do":"end"}       →     and it is gone
//
// Each is one JSON document a line, of at most MaxLine bytes. Several requests
// may be under way at once. The far process ends, with its listener and all it
// started, when its input ends, when it is asked to, and when no line has come
// for the lease: nothing is left behind where the near one was killed or the
// connection is lost.
package session

import (
	"slices"
	"time"

	"unchoke/internal/record"
)

// Schema names this version of the protocol. Additions do not change it: each
// side ignores what it does not know, and Hello.Does tells what there is.
const Schema = "unchoke.session/1"

const (
	// MaxLine bounds a line, either way.
	MaxLine = 4 << 20
	// maxAnswer bounds an answer that came in parts, unpacked: a check's record is
	// some 20 MB.
	maxAnswer = 64 << 20
	// partSize is of a packed answer's part; base64 and the frame fit a line.
	partSize = 1 << 20
	// packFrom is the size from which an answer is packed: the path that carries
	// it may be a slow one.
	packFrom = 8 << 10
	// maxNoise is what a login may print before the hello.
	maxNoise = 64 << 10
	// maxBusy bounds the requests that the far end works at side by side.
	maxBusy = 8
)

// Hello is the first line of the far end.
type Hello struct {
	Schema  string   `json:"schema"`
	Version string   `json:"version"` // of unchoke there
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	PID     int      `json:"pid"`
	Does    []string `json:"does"` // the requests that it knows

	Host     record.Host `json:"host"`
	Warnings []string    `json:"warnings,omitempty"`
	// Addresses are that host's own, those of its loopback left out.
	Addresses []string `json:"addresses"`
	// Login is SSH_CONNECTION there: the near end's address and port as its SSH
	// server sees them, then its own. Empty without SSH.
	Login string `json:"login,omitempty"`
	Root  bool   `json:"root,omitempty"` // it runs with root's rights
}

// Knows says that the far end knows a request.
func (h Hello) Knows(do string) bool {
	return slices.Contains(h.Does, do)
}

// What may be asked of the far end.
const (
	DoPing   = "ping"
	DoServe  = "serve"
	DoDial   = "dial"
	DoSend   = "send"
	DoAudit  = "audit"
	DoSides  = "transfers"
	DoCheck  = "check"
	DoTune   = "tune"
	DoCancel = "cancel"
	DoEnd    = "end"
)

// Serve asks for an iperf3 server, which lives until the session ends.
type Serve struct {
	// Token is what its clients must send.
	Token string `json:"token"`
	// Listen is the address and port; empty is any address, an ephemeral port.
	Listen string `json:"listen,omitempty"`
}

// Serving is its answer.
type Serving struct {
	Port int `json:"port"` // TCP and UDP
}

// Dial asks the far end to connect to an address, to write the token and a
// newline, and to serve that connection as if its server had accepted it.
type Dial struct {
	Address string `json:"address"` // host:port
	Token   string `json:"token"`
}

// Dialed is its answer.
type Dialed struct {
	// Local is the far end of that connection as its own host has it, host:port,
	// and the address of the server's UDP port for a test over it. Older far ends
	// do not tell.
	Local string `json:"local,omitempty"`
}

// Send asks the far end for a datagram from the server's UDP port to the near
// end, so that what stands between lets the answers in: a stateful firewall, an
// address translation.
type Send struct {
	From string `json:"from"` // a Dialed.Local of this session
	// Port is the near end's, at the address that the connection from there led to.
	Port int `json:"port"`
	// Token is what the datagram holds.
	Token string `json:"token"`
}

// Audit asks what the far host is and how it reaches an address. It also begins
// to follow the tunnel on that way, if there is one.
type Audit struct {
	// Address of the near end; empty is that of the last client of its server,
	// or of the SSH login.
	Address string `json:"address,omitempty"`
}

// Audited is its answer.
type Audited struct {
	Host     record.Host  `json:"host"`
	Route    record.Route `json:"route"`
	NICs     []record.NIC `json:"nics"`
	Warnings []string     `json:"warnings,omitempty"`
}

// Sides is what the far end saw of the tests since the last question.
type Sides struct {
	Sides []Side `json:"sides"`
	// Tunnel is what it knows by now of the tunnel on its way to the near end;
	// nil before an audit. Times are since the audit.
	Tunnel *record.Tunnel `json:"tunnel,omitempty"`
	// Forgotten counts tests that found no room in its memory.
	Forgotten int `json:"forgotten,omitempty"`
}

// Side is the far end's account of one test.
type Side struct {
	// Cookie is iperf3's name for the test, which both ends know.
	Cookie string `json:"cookie"`
	// Transfer is seen from there: its series, queues, processors and counters.
	// Started is since the far process began. The direction is the near end's.
	Transfer record.Transfer `json:"transfer"`
}

// Check asks for a check from there.
type Check struct {
	Target string  `json:"target"`
	Family string  `json:"family,omitempty"`
	Token  string  `json:"token,omitempty"`
	Quick  bool    `json:"quick,omitempty"`
	Budget float64 `json:"budget_s,omitempty"`
	Wait   float64 `json:"wait_s,omitempty"`
	CC     string  `json:"cc,omitempty"`
}

// Tune asks for a verb of `unchoke tune`, as its arguments have it there.
type Tune struct {
	Args []string `json:"args"`
	// Input is what the verb reads from its standard input: a plan.
	Input string `json:"input,omitempty"`
}

// Tuned is its answer.
type Tuned struct {
	Status int    `json:"status"` // of exit
	Output string `json:"output"`
	Errors string `json:"errors"`
	// Now is that host's clock, and DiskFree the room where its journal is, in
	// bytes; nil where it is not known.
	Now      time.Time `json:"now"`
	DiskFree *int64    `json:"disk_free_bytes,omitempty"`
}
