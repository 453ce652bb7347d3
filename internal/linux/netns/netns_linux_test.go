package netns_test

import (
	"errors"
	"net"
	"os"
	"runtime"
	"testing"

	"unchoke/internal/linux/netns/netnstest"
)

func whereAmI(t *testing.T) string {
	t.Helper()
	name, err := os.Readlink("/proc/thread-self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDoIsElsewhereAndComesBack(t *testing.T) {
	n := netnstest.New(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home := whereAmI(t)
	failure := errors.New("failure")
	var inside string
	err := n.Do(func() error {
		inside = whereAmI(t)
		links, err := net.Interfaces()
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Flags&net.FlagUp != 0 {
				t.Errorf("device %s is up in a namespace that is new", l.Name)
			}
		}
		return failure
	})
	if err != failure {
		t.Errorf("Do returned %v, want f's own error", err)
	}
	if inside == home {
		t.Error("f ran at home")
	}
	if back := whereAmI(t); back != home {
		t.Errorf("the thread is in %s after Do, want %s", back, home)
	}
}

func TestNamespacesNest(t *testing.T) {
	outer, inner := netnstest.New(t), netnstest.New(t)
	err := outer.Do(func() error {
		before := whereAmI(t)
		var within string
		if err := inner.Do(func() error { within = whereAmI(t); return nil }); err != nil {
			return err
		}
		if within == before {
			t.Error("the inner namespace is the outer one")
		}
		if after := whereAmI(t); after != before {
			t.Errorf("after the inner Do the thread is in %s, want %s", after, before)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestClosedNamespace(t *testing.T) {
	n := netnstest.New(t)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if err := n.Do(func() error { t.Error("f ran in a namespace that is closed"); return nil }); err == nil {
		t.Error("no error")
	}
}
