package sockdiag

import (
	"errors"
	"testing"
	"time"

	"unchoke/tcpinfo"
)

// One finds the connection that a dump lists, of either family, and none after
// it has ended or where the cookie is another's.
func TestOne(t *testing.T) {
	for _, c := range []struct{ network, address string }{{"tcp4", "127.0.0.1:0"}, {"tcp6", "[::1]:0"}, {"tcp", "[::ffff:127.0.0.1]:0"}} {
		near, far := pair(t, c.network, c.address)
		d := dumper(t)
		local, remote := ends(near)
		var key Key
		if err := d.TCP(Match{LocalPort: local.Port(), RemotePort: remote.Port()}, func(s *Socket) {
			key = Key{Local: s.Local(), Remote: s.Remote(), Device: s.Device(), Cookie: s.Cookie()}
		}); err != nil || key.Cookie == 0 {
			t.Fatalf("%s: listed %+v, %v", c.address, key, err)
		}
		if _, err := near.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if _, err := far.Read(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		s, err := d.One(key)
		if err != nil {
			t.Fatalf("%s: %v", c.address, err)
		}
		var info tcpinfo.Info
		if !s.Info(&info) || info.BytesSent != 1000 || s.Cookie() != key.Cookie || s.Local() != key.Local || s.Remote() != key.Remote {
			t.Errorf("%s: got %v → %v, cookie %x, %d bytes sent", c.address, s.Local(), s.Remote(), s.Cookie(), info.BytesSent)
		}
		if s.Memory(SendBuffer) == 0 || len(s.CC()) == 0 {
			t.Errorf("%s: send buffer %d, congestion control %q", c.address, s.Memory(SendBuffer), s.CC())
		}
		other := key
		other.Cookie++
		if _, err := d.One(other); !errors.Is(err, ErrGone) {
			t.Errorf("%s: another cookie: %v", c.address, err)
		}
		far.Close()
		near.Close()
		for end := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
			// What waits for its end (TIME_WAIT) is there without TCP_INFO.
			if s, err = d.One(key); err != nil || !s.Info(&info) || time.Now().After(end) {
				break
			}
		}
		if err == nil && s.Info(&info) || err != nil && !errors.Is(err, ErrGone) {
			t.Errorf("%s: after its end: %v", c.address, err)
		}
	}
}
