//go:build unix

package journal

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(done, dir); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, unlock)
	again, err := Lock(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
