//go:build !slim

package remote

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// control is the private directory of ssh's control socket.
type control struct {
	dir     string
	janitor *exec.Cmd // removes the directory when this process is gone
	hold    io.Closer // the janitor's input
}

// maxSocket is the longest path of a socket on any system (104 on macOS, with
// its end), less the 17 characters that ssh adds while it makes one.
const maxSocket = 104 - 1 - 17

// newControl makes the directory. Its janitor waits for the end of its input,
// which comes also when this process is killed.
func newControl() (*control, error) {
	if !multiplexes {
		return &control{}, nil
	}
	var dir string
	var err error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if base == "" || len(filepath.Join(base, "unchoke-ssh-0123456789", "c")) > maxSocket {
			continue
		}
		if dir, err = os.MkdirTemp(base, "unchoke-ssh-"); err == nil {
			break
		}
	}
	if dir == "" {
		return nil, fmt.Errorf("make a directory for ssh's control socket: %w", err)
	}
	c := &control{dir: dir, janitor: exec.Command("sh", "-c", `trap "" HUP INT TERM; cat >/dev/null; rm -rf -- "$1"`, "sh", dir)}
	if c.hold, err = c.janitor.StdinPipe(); err == nil {
		err = c.janitor.Start()
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("start the janitor of ssh's control socket: %w", err)
	}
	return c, nil
}

// path of the socket; empty where there is none.
func (c *control) path() string {
	if c.dir == "" {
		return ""
	}
	return filepath.Join(c.dir, "c")
}

func (c *control) close() {
	if c.dir == "" {
		return
	}
	c.hold.Close()
	_ = c.janitor.Wait()
	os.RemoveAll(c.dir)
}
