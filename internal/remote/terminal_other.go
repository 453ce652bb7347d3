//go:build !unix

package remote

import "os"

// terminal says that ssh can ask the user.
func terminal() bool {
	info, err := os.Stdin.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// multiplexes: the ssh that comes with Windows makes a connection for each
// session.
const multiplexes = false
