package proc

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestNetns(t *testing.T) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/net", &st); err != nil {
		t.Fatal(err)
	}
	if n, err := Netns("self"); err != nil || n != st.Ino {
		t.Errorf("%d, %v, want %d", n, err, st.Ino)
	}
	if n, err := Netns("0"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no process: %d, %v", n, err)
	}
}
