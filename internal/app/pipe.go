//go:build !slim

package app

import (
	"errors"
	"io"
	"os/exec"
	"sync"
	"time"
)

// pipe is a process of this host with which a session is held.
type pipe struct {
	io.Reader
	io.WriteCloser
	cmd   *exec.Cmd
	close sync.Once
}

func startPipe(cmd *exec.Cmd) (*pipe, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &pipe{Reader: out, WriteCloser: in, cmd: cmd}, nil
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
