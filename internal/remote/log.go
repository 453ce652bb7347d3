//go:build !slim

package remote

import (
	"bufio"
	"errors"
	"io"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// sshLog reads ssh's standard error, at the level of details that a single -v
// gives: what the connection is comes from there, and the last lines of the rest
// are kept for errors. The far host's own words stand among them.
type sshLog struct {
	mu      sync.Mutex
	said    []string
	address netip.Addr // that ssh connected to; of the first jump host
	cipher  string     // of what near sends
	keys    exchange
	in      chan struct{}
	entered bool
	done    chan struct{}
}

// exchange is how far the exchange of keys came. Its packets are the first large
// ones of a connection.
type exchange int

const (
	notBegun exchange = iota
	begun             // the far server has named its version
	agreed
)

// The most that is kept of ssh's words.
const (
	maxSaid     = 24
	maxSaidLine = 400
)

// chatter begins the lines that -v adds beside those of debugPrefix.
var chatter = []string{"OpenSSH_", "debug", "Authenticated to ", "Transferred: sent ", "Bytes per second: sent "}

const debugPrefix = "debug1: "

var (
	connecting = regexp.MustCompile(`^Connecting to \S+ \[([^\]]+)\] port `)
	ciphered   = regexp.MustCompile(`^kex: client->server cipher: (\S+)`)
)

func readLog(r io.Reader) *sshLog {
	l := &sshLog{in: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		in := bufio.NewReader(r)
		for {
			line, err := in.ReadSlice('\n')
			if len(line) > 0 {
				l.add(strings.TrimRight(string(line), "\r\n"))
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				return
			}
		}
	}()
	return l
}

func (l *sshLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	debug, isDebug := strings.CutPrefix(line, debugPrefix)
	switch {
	case strings.HasPrefix(line, "Authenticated to "), strings.HasPrefix(debug, "Authenticated to "), strings.HasPrefix(debug, "Entering interactive session"):
		if !l.entered {
			l.entered = true
			close(l.in)
		}
	case isDebug:
		l.keys = max(l.keys, reached(debug))
		if m := connecting.FindStringSubmatch(debug); m != nil && !l.address.IsValid() {
			l.address, _ = netip.ParseAddr(m[1])
		} else if m := ciphered.FindStringSubmatch(debug); m != nil {
			l.cipher = m[1]
		}
	case line == "", slices.ContainsFunc(chatter, func(c string) bool { return strings.HasPrefix(line, c) }):
	default:
		if len(line) > maxSaidLine {
			line = line[:maxSaidLine]
		}
		if l.said = append(l.said, line); len(l.said) > maxSaid {
			l.said = l.said[1:]
		}
	}
}

// lines are the last lines that ssh and the far side said.
func (l *sshLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.said)
}

// reached is how far a line says that the exchange of keys came.
func reached(debug string) exchange {
	switch {
	case strings.HasPrefix(debug, "Remote protocol version "):
		return begun
	case debug == "SSH2_MSG_NEWKEYS received":
		return agreed
	}
	return notBegun
}

// stalled says that the connection ended within the exchange of keys.
func (l *sshLog) stalled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keys == begun
}
