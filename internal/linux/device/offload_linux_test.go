package device

import (
	"encoding/binary"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// Every device has GSO or not; none is without an answer.
func TestOffloadsOfLoopback(t *testing.T) {
	o, err := OffloadsOf("lo")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tx-generic-segmentation", "rx-gro", "rx-udp-gro-forwarding", "rx-gro-list"} {
		if _, ok := o.Features[name]; !ok {
			t.Errorf("nothing of %s among %d features", name, len(o.Features))
		}
	}
	if !o.Features["loopback"] {
		t.Errorf("lo does not loop back: %v", o.Features)
	}
	if _, err := OffloadsOf("nowhere"); !errors.Is(err, unix.ENODEV) {
		t.Errorf("a device that does not exist: %v", err)
	}
}

// answers are a kernel's with 33 features, the last of which is on alone.
func answers(request []byte) error {
	switch binary.NativeEndian.Uint32(request) {
	case unix.ETHTOOL_GSSET_INFO:
		binary.NativeEndian.PutUint32(request[16:], 33)
	case unix.ETHTOOL_GSTRINGS:
		copy(request[12:], "first")
		copy(request[12+32*32:], "last")
	case unix.ETHTOOL_GFEATURES:
		binary.NativeEndian.PutUint32(request[8+16+8:], 1)
	}
	return nil
}

func TestFeatures(t *testing.T) {
	got, err := features(answers)
	if err != nil || len(got) != 2 || got["first"] || !got["last"] {
		t.Errorf("%v, %v", got, err)
	}
	refused := errors.New("refused")
	for fails := range 3 {
		n := 0
		_, err := features(func(b []byte) error {
			if n++; n > fails {
				return refused
			}
			return answers(b)
		})
		if !errors.Is(err, refused) {
			t.Errorf("request %d refused: %v", fails+1, err)
		}
	}
	if _, err := features(func(b []byte) error {
		binary.NativeEndian.PutUint32(b[16:], 1<<31)
		return nil
	}); err == nil {
		t.Error("two thousand million features are taken")
	}
}
