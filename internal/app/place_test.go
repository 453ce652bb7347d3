//go:build !slim

package app

import (
	"context"
	"errors"
	"net"
	"os/exec"
	"strings"
	"testing"

	"unchoke/internal/session"
)

// A place that was reached within a time of its own is checked from without being
// reached again, and one that was not tells why.
func TestReach(t *testing.T) {
	reached := 0
	d := &distant{name: "there", reach: func(ctx context.Context) (*session.Client, func(), error) {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		reached++
		near, far := net.Pipe()
		go func() { _ = session.Far{Version: "far"}.Run(t.Context(), far, far) }()
		c, err := session.Open(ctx, near)
		return c, func() {}, err
	}}
	defer d.Close()
	bounded, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Reach(bounded); !errors.Is(err, context.Canceled) {
		t.Errorf("after its time: %v", err)
	}
	for range 2 {
		if err := d.Reach(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Check(t.Context(), CheckRequest{}); errors.Is(err, context.Canceled) || reached != 1 {
		t.Errorf("reached %d times, %v", reached, err)
	}
}

// What a process says to standard error stands in the error where it holds no session.
func TestConverseTells(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	_, _, err = converse(t.Context(), exec.Command(sh, "-c", "echo there is no such namespace >&2; exit 1"))
	if err == nil || !strings.Contains(err.Error(), `"there is no such namespace"`) {
		t.Errorf("%v", err)
	}
}
