//go:build !linux

package watching

import (
	"errors"
	"fmt"
	"net"
)

// TellsUser says whether OwnUser can find out whose a connection is.
const TellsUser = false

// OwnUser refuses a connection that another user of this host may have made:
// here every one, for this system does not tell whose it is.
func OwnUser(net.Conn) error {
	return fmt.Errorf("find out whose connection this is: %w", errors.ErrUnsupported)
}
