package lab

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Algorithms asks a lab kernel for its congestion controls; an empty file is the
// default kernel.
func Algorithms(ctx context.Context, kernelFile string) ([]string, error) {
	var out, complaint bytes.Buffer
	status, err := Exec(ctx, Command{
		Near: []string{"cat", "/proc/sys/net/ipv4/tcp_available_congestion_control"}, Dir: "/",
		Kernel: kernelFile, Stdout: &out, Stderr: &complaint,
	})
	if err == nil && status != 0 {
		err = fmt.Errorf("exit status %d: %s", status, bytes.TrimSpace(complaint.Bytes()))
	}
	if err != nil {
		return nil, fmt.Errorf("ask the lab kernel for its congestion controls: %w", err)
	}
	return strings.Fields(out.String()), nil
}
