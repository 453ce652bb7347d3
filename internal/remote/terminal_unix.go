//go:build unix

package remote

import "os"

// terminal says that ssh can ask the user: it opens the terminal itself.
func terminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}

// multiplexes says that this system's ssh takes several sessions over one
// connection.
const multiplexes = true
