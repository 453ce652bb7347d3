package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/netns"
)

// rig is a network namespace with its loopback up.
type rig struct{ ns *netns.Namespace }

func newRig(ctx context.Context) (*rig, error) {
	ns, err := netns.New()
	if errors.Is(err, unix.EPERM) {
		return nil, fmt.Errorf("%w: it takes root", err)
	}
	if err != nil {
		return nil, err
	}
	r := &rig{ns}
	for _, command := range [][]string{
		{"ip", "link", "set", "lo", "up"},
		{"sysctl", "-q", "-w", "net.ipv4.ip_local_port_range=2000 65000", "net.core.somaxconn=65535"},
	} {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		if err := ns.Do(func() error {
			out, err := cmd.CombinedOutput()
			if err != nil {
				return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, out)
			}
			return nil
		}); err != nil {
			ns.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *rig) Close() error { return r.ns.Close() }

// ss lists all connections and returns the CPU time that it took, in seconds.
func (r *rig) ss(ctx context.Context) (cpu float64, err error) {
	cmd := exec.CommandContext(ctx, "ss", "-tinH") // without an output: to /dev/null
	if err := r.ns.Do(cmd.Run); err != nil {
		return 0, fmt.Errorf("ss: %w", err)
	}
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// child is this program in a role. It writes JSON, a value at a time.
type child struct {
	cmd    *exec.Cmd
	input  io.Closer
	output *json.Decoder
}

func (r *rig) start(ctx context.Context, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe() // which ends when this program does
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.ns.Do(cmd.Start); err != nil {
		return nil, err
	}
	return &child{cmd, input, json.NewDecoder(bufio.NewReader(output))}, nil
}

func (c *child) read(v any) error {
	if err := c.output.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(c.cmd.Args[1:], " "), err)
	}
	return nil
}

// ready waits for the first word.
func (c *child) ready() error {
	var word string
	return c.read(&word)
}

// stop ends it and waits.
func (c *child) stop() {
	c.input.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// memory is the most that the process ever had in memory, in bytes.
func (c *child) memory() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kB * 1024, err
		}
	}
	return 0, errors.New("the kernel does not tell how much memory it had")
}
