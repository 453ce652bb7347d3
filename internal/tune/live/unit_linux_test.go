package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"unchoke/internal/linux/cgroup"
)

// A unit's group is found by the unit's name, has a program until it is detached,
// and when the group ends that is said.
func TestHostGroups(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("takes root: it makes a control group and attaches a BPF program")
	}
	root, ok := cgroup.Root(cgroup.System())
	if !ok {
		t.Skip("no control groups of version 2 are mounted")
	}
	unit := fmt.Sprintf("unchoke-test-unit-%d", os.Getpid())
	dir := filepath.Join("/", root, unit+".service")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("no control group can be made: %v", err)
	}
	defer os.Remove(dir)
	var k HostGroups
	g, err := k.Find(unit)
	if full, err2 := k.Find(unit + ".service"); err != nil || err2 != nil || g != full || g.Path != "/"+unit+".service" || g.Number == 0 {
		t.Fatalf("%+v, %v; %+v, %v", g, err, full, err2)
	}
	p, err := k.Load("reno")
	if _, unable := errors.AsType[*UnableError](err); unable || errors.Is(err, os.ErrPermission) {
		t.Skipf("this kernel or sandbox takes no such program: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Attach(g), p.Close()); err != nil {
		t.Fatal(err)
	}
	if is, err := k.At(g, p.Number()); !is || err != nil {
		t.Errorf("attached: %v, %v", is, err)
	}
	for range 2 {
		if err := k.Detach(g, p.Number()); err != nil {
			t.Error(err)
		}
		if is, err := k.At(g, p.Number()); is || err != nil {
			t.Errorf("detached: %v, %v", is, err)
		}
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Find(unit); err == nil {
		t.Error("it is found after it ended")
	}
	if err := k.Detach(g, p.Number()); !errors.Is(err, ErrGroupEnded) {
		t.Errorf("after it ended: %v", err)
	}
}
