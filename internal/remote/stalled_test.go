package remote

import (
	"errors"
	"strings"
	"testing"
)

// What OpenSSH 9.2 says with -v where packets above an MTU vanish, where the
// server has no algorithm in common, and where it ends a connection later.
func TestStalled(t *testing.T) {
	const greeted = "debug1: Connection established.\ndebug1: Remote protocol version 2.0, remote software version OpenSSH_9.2p1\ndebug1: SSH2_MSG_KEXINIT sent\n"
	for name, c := range map[string]struct {
		log     string
		stalled bool
	}{
		"no answer":          {greeted + "debug1: expecting SSH2_MSG_KEX_ECDH_REPLY\nConnection timed out\n", true},
		"closed":             {greeted + "debug1: expecting SSH2_MSG_KEX_ECDH_REPLY\nConnection closed by 192.0.2.7 port 22\n", true},
		"nothing in common":  {greeted + "Unable to negotiate with 192.0.2.7 port 22: no matching cipher found\n", false},
		"nobody there":       {"debug1: Connecting to far [192.0.2.7] port 22.\nssh: connect to host far port 22: Connection timed out\n", false},
		"no version":         {"debug1: Connection established.\nConnection timed out during banner exchange\n", false},
		"closed after login": {greeted + "debug1: SSH2_MSG_NEWKEYS received\nConnection closed by 192.0.2.7 port 22\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			log := readLog(strings.NewReader(c.log))
			<-log.done
			err := stalled(Target{Host: "far"}, log)
			if (err != nil) != c.stalled {
				t.Fatalf("%v", err)
			}
			if err != nil && (!errors.Is(err, ErrStalled) || !strings.Contains(err.Error(), "large packets") || !strings.Contains(err.Hint(), "-s 1372 far")) {
				t.Errorf("%v; hint: %s", err, err.Hint())
			}
		})
	}
}
