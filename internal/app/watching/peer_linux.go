package watching

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"

	"unchoke/internal/linux/sockdiag"
)

// errOthers is of a connection that another user of this host made.
var errOthers = errors.New("this page is another user's")

// TellsUser says whether OwnUser can find out whose a connection is.
const TellsUser = true

// OwnUser refuses a connection from this host to itself unless its other end
// belongs to the user of this program, to whoever ran sudo, or to root: what a
// watch shows, and the records, are not for every user of the host. The kernel
// says whose the other end is.
func OwnUser(c net.Conn) error {
	near, err1 := netip.ParseAddrPort(c.LocalAddr().String())
	far, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ends, err := sockdiag.To(near)
	if err != nil {
		return fmt.Errorf("find out whose connection this is: %w", err)
	}
	for _, e := range ends {
		if e.Local == far {
			return admitted(e.UID, os.Geteuid(), os.Getenv)
		}
	}
	return errors.New("the kernel does not tell whose connection this is")
}

func admitted(uid uint32, euid int, environ func(string) string) error {
	switch {
	case uid == 0, int(uid) == euid:
		return nil
	case euid == 0 && environ("SUDO_UID") == strconv.FormatUint(uint64(uid), 10):
		return nil
	}
	return errOthers
}
