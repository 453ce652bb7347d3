package cc

import (
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/sysctl"
)

func TestProbe(t *testing.T) {
	name, err := Default(sysctl.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	// The default is always among the allowed ones.
	if have, err := Probe(name); have != Yes || err != nil {
		t.Errorf("the default, %s: %v, %v", name, have, err)
	}
	if have, err := Probe("nosuch"); have != No || err != nil {
		t.Errorf("nosuch: %v, %v", have, err)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Have
		fail bool
	}{
		{nil, Yes, false},
		{unix.EPERM, Restricted, false},
		{unix.ENOENT, No, false},
		{unix.EBUSY, Unknown, true},
	} {
		if have, err := verdict("bbr", c.err); have != c.want || (err != nil) != c.fail {
			t.Errorf("%v: %v, %v", c.err, have, err)
		}
	}
}
