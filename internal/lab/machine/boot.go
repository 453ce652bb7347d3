package machine

import (
	"time"

	"unchoke/internal/lab/stage"
)

// shareVariable is the environment variable that makes process 1 the lab's
// init. Its value is the directory, as the kernel's process on the host sees
// it, that the machine shares with its user: bootFile and the chunks of
// standard input are in it.
//
// The kernel stirs its command line into its random numbers, so the value is
// the same for every machine.
const (
	shareVariable = "UNCHOKE_LAB_SHARE"
	shareName     = "share"
	sharePath     = "/proc/self/cwd/" + shareName
)

// bootFile is how init learns its task.
const bootFile = "boot.json"

type bootOrder struct {
	Job      stage.Job `json:"job"`
	Writable []string  `json:"writable"` // host directories
	Terminal *window   `json:"terminal"` // near gets a terminal of this size
	NoInput  bool      `json:"no_input"` // standard input is empty
	// Beat is how often, in virtual time, init says that it goes on.
	Beat time.Duration `json:"beat"`
}

// window is a terminal's size in characters.
type window struct {
	Rows uint16 `json:"rows"`
	Cols uint16 `json:"cols"`
}

// uptime is what the machine's clock shows at least when its job begins. Some
// programs take a clock in its first second for one that was never read, as
// ping of iputils 20221126 does.
const uptime = 10 * time.Second

// Standard input comes in files, in a window of a few, since User-Mode Linux
// reads a serial line at one system call a byte. Files written once and read
// once never meet the guest's page cache.
const (
	inputChunk  = 256 << 10
	inputWindow = 4 // chunks
)
