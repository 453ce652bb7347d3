//go:build !slim

package app

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"unchoke/internal/bounded"
)

// pipe is a process of this host with which a session is held.
type pipe struct {
	io.Reader
	io.WriteCloser
	cmd   *exec.Cmd
	said  bounded.Tail // to standard error
	close sync.Once
}

// startPipe starts the process. An interrupt on the terminal is for this one, which
// then ends that one.
func startPipe(cmd *exec.Cmd) (*pipe, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &pipe{Reader: out, WriteCloser: in, cmd: cmd}
	cmd.Stderr = &p.said
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

// mostSaid bounds what an error shows of a process's words, in bytes.
const mostSaid = 2000

// lastSaid is the end of what the process wrote to standard error.
func (p *pipe) lastSaid() string {
	text := strings.TrimSpace(p.said.Take())
	return strings.ToValidUTF8(text[max(0, len(text)-mostSaid):], "?")
}

// Close ends the process: by the end of its input, or by force.
func (p *pipe) Close() error {
	var err error
	p.close.Do(func() {
		err = p.WriteCloser.Close()
		force := time.AfterFunc(leaveTime, func() { _ = p.cmd.Process.Kill() })
		defer force.Stop()
		err = errors.Join(err, p.cmd.Wait())
	})
	return err
}
