package journal

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A journal on a disk that has become read-only can be locked still.
func TestLockOnReadOnlyDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with its mounts
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			t.Logf("may not mount: %v", err)
			return
		}
		for _, mount := range []func() error{
			func() error { return unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, "") },
			func() error { return unix.Mount("none", dir, "tmpfs", 0, "mode=700") },
		} {
			if err := mount(); err != nil {
				t.Error(err)
				return
			}
		}
		for range 2 {
			unlock, err := Lock(context.Background(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			unlock()
			if err := unix.Mount("none", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	<-done
}
