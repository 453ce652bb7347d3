package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/tune/disk"
	"unchoke/internal/tune/outcome"
	"unchoke/tcpinfo"
)

// fake is a kernel with connections that the test moves.
type fake struct {
	sockets map[uint64]*fakeSocket
	lent    int
}

type fakeSocket struct {
	kernel   *fake
	cc       string
	recovers int // looks for which it does
	fail     error
	sets     []string
}

func (k *fake) Find([]uint64) error { return nil }

func (k *fake) Borrow(id uint64) (Socket, error) {
	s := k.sockets[id]
	if s == nil {
		return nil, ErrEnded
	}
	if s.fail != nil {
		return nil, s.fail
	}
	k.lent++
	return s, nil
}

func (s *fakeSocket) CC() (string, error) { return s.cc, nil }

func (s *fakeSocket) SetCC(name string) error {
	s.cc, s.sets = name, append(s.sets, name)
	return nil
}

func (s *fakeSocket) Recovery() (tcpinfo.CAState, error) {
	if s.recovers > 0 {
		s.recovers--
		return tcpinfo.CARecovery, nil
	}
	return tcpinfo.CAOpen, nil
}

func (s *fakeSocket) Close() error { s.kernel.lent--; return nil }

// changer is one with a journal and a clock of the test's.
func changer(t *testing.T, k Kernel, dir string) *Changer {
	t.Helper()
	j, err := Open(disk.OS{}, dir, "boot", 7)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1e9, 0)
	return &Changer{
		Kernel: k, Journal: j, Wait: time.Second,
		Now: func() time.Time { return now },
		Pause: func(ctx context.Context, d time.Duration) error {
			now = now.Add(d)
			return ctx.Err()
		},
	}
}

func flows(ids ...string) []*outcome.LiveFlow {
	var out []*outcome.LiveFlow
	for _, id := range ids {
		out = append(out, &outcome.LiveFlow{ID: id})
	}
	return out
}

func states(flows []*outcome.LiveFlow) []outcome.Became {
	var out []outcome.Became
	for _, f := range flows {
		out = append(out, f.State)
	}
	return out
}

func TestChangeAndRevert(t *testing.T) {
	k := &fake{}
	k.sockets = map[uint64]*fakeSocket{
		1: {kernel: k, cc: "cubic"}, 2: {kernel: k, cc: "cubic", recovers: 20}, 3: {kernel: k, cc: "bbr"},
		4: {kernel: k, cc: "reno", recovers: 1e6}, 5: {kernel: k, fail: ErrHidden}, 7: {kernel: k, cc: "vegas", fail: errors.New("broken")},
	}
	dir := filepath.Join(t.TempDir(), "tune")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	all := flows("1", "2", "3", "4", "5", "6", "7")
	if err := changer(t, k, dir).Change(t.Context(), all, "bbr", ""); err != nil {
		t.Fatal(err)
	}
	want := []outcome.Became{outcome.LiveChanged, outcome.LiveChanged, outcome.LiveSame, outcome.LiveRecovering, outcome.LiveRefused, outcome.LiveEnded, outcome.LiveFailed}
	if got := states(all); !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	if w := all[1].Waited; w < 0.19 || w > 0.21 {
		t.Errorf("waited %v s for 20 looks", w)
	}
	if k.lent != 0 {
		t.Errorf("%d sockets were not given back", k.lent)
	}
	if k.sockets[3].sets != nil || k.sockets[4].sets != nil {
		t.Error("a connection was changed that should not be")
	}

	// A second change; somebody else's change; one ends.
	again := flows("1", "2")
	if err := changer(t, k, dir).Change(t.Context(), again, "reno", ""); err != nil {
		t.Fatal(err)
	}
	k.sockets[2].cc = "vegas"
	standing, _ := changer(t, k, dir).Journal.Standing()
	if len(standing) != 2 || standing[0].Old != "cubic" || standing[0].New != "reno" {
		t.Fatalf("%+v", standing)
	}
	if err := changer(t, k, dir).Revert(t.Context(), standing); err != nil {
		t.Fatal(err)
	}
	if got := states(standing); !reflect.DeepEqual(got, []outcome.Became{outcome.LiveReverted, outcome.LiveOther}) {
		t.Errorf("%v", got)
	}
	if k.sockets[1].cc != "cubic" || k.sockets[2].cc != "vegas" {
		t.Errorf("%s and %s", k.sockets[1].cc, k.sockets[2].cc)
	}
	if standing, _ := changer(t, k, dir).Journal.Standing(); len(standing) != 0 {
		t.Errorf("still standing: %+v", standing)
	}
}

// What an earlier run changed stands where a later one asks for the same again, or
// may not touch it any more.
func TestLaterRunKeepsWhatStands(t *testing.T) {
	k := &fake{}
	k.sockets = map[uint64]*fakeSocket{1: {kernel: k, cc: "cubic"}, 2: {kernel: k, cc: "reno"}, 3: {kernel: k, cc: "cubic"}}
	dir := privateDir(t)
	if err := changer(t, k, dir).Change(t.Context(), flows("1", "2"), "bbr", ""); err != nil {
		t.Fatal(err)
	}
	k.sockets[2].fail = ErrHidden
	again := flows("1", "2", "3")
	if err := changer(t, k, dir).Change(t.Context(), again, "bbr", ""); err != nil {
		t.Fatal(err)
	}
	if got, want := states(again), []outcome.Became{outcome.LiveSame, outcome.LiveRefused, outcome.LiveChanged}; !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	k.sockets[2].fail = nil
	c := changer(t, k, dir)
	standing, _ := c.Journal.Standing()
	if err := c.Revert(t.Context(), standing); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[uint64]string{1: "cubic", 2: "reno", 3: "cubic"} {
		if got := k.sockets[id].cc; got != want {
			t.Errorf("after the revert connection %d has %s, not %s", id, got, want)
		}
	}
}

// A module is needed as long as a connection stands that it was loaded for.
func TestModuleOfNoChange(t *testing.T) {
	k := &fake{}
	k.sockets = map[uint64]*fakeSocket{1: {kernel: k, cc: "cubic", recovers: 1e6}, 2: {kernel: k, cc: "cubic"}}
	dir := privateDir(t)
	c := changer(t, k, dir)
	if err := c.Change(t.Context(), flows("1"), "bbr", "tcp_bbr"); err != nil {
		t.Fatal(err)
	}
	if m := c.Journal.Modules(); m != nil {
		t.Errorf("nothing was changed, and the modules are %v", m)
	}
	if err := c.Change(t.Context(), flows("1", "2"), "bbr", "tcp_bbr"); err != nil {
		t.Fatal(err)
	}
	if m := c.Journal.Modules(); !reflect.DeepEqual(m, []string{"tcp_bbr"}) {
		t.Errorf("one was changed, and the modules are %v", m)
	}
	j, err := Open(disk.OS{}, dir, "after a reboot", 7)
	if err != nil {
		t.Fatal(err)
	}
	if m := j.Modules(); m != nil {
		t.Errorf("after a reboot the modules are %v", m)
	}
}

// A run that is killed between the journal and the change leaves nothing that a
// revert would not put right.
func TestKilledInBetween(t *testing.T) {
	for _, has := range []string{"cubic", "bbr"} {
		k := &fake{}
		k.sockets = map[uint64]*fakeSocket{1: {kernel: k, cc: "cubic"}}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		c := changer(t, k, dir)
		f := flows("1")
		f[0].Old = "cubic"
		if err := c.Journal.Begin(f, "bbr", "", c.Now()); err != nil {
			t.Fatal(err)
		}
		k.sockets[1].cc = has
		c = changer(t, k, dir)
		standing, _ := c.Journal.Standing()
		if err := c.Revert(t.Context(), standing); err != nil || k.sockets[1].cc != "cubic" || standing[0].State != outcome.LiveReverted {
			t.Errorf("with %s: %s, %v, %v", has, k.sockets[1].cc, standing[0].State, err)
		}
	}
}

// A second change that was killed before it was made, and a third, leave what the
// first made: that is ours to revert.
func TestRevertAfterKilledChange(t *testing.T) {
	for _, killed := range [][]string{{"reno"}, {"reno", "vegas"}} {
		k := &fake{}
		k.sockets = map[uint64]*fakeSocket{1: {kernel: k, cc: "cubic"}, 2: {kernel: k, cc: "cubic"}}
		dir := filepath.Join(t.TempDir(), "tune")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := changer(t, k, dir).Change(t.Context(), flows("1", "2"), "bbr", ""); err != nil {
			t.Fatal(err)
		}
		for _, cc := range killed {
			begun := flows("1", "2")
			begun[0].Old, begun[1].Old = "bbr", "bbr"
			if err := changer(t, k, dir).Journal.Begin(begun, cc, "", time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		k.sockets[2].cc = "dctcp" // somebody else's
		c := changer(t, k, dir)
		stand, _ := c.Journal.Standing()
		if err := c.Revert(t.Context(), stand); err != nil {
			t.Fatal(err)
		}
		if want := []outcome.Became{outcome.LiveReverted, outcome.LiveOther}; !reflect.DeepEqual(states(stand), want) || k.sockets[1].cc != "cubic" || k.sockets[2].cc != "dctcp" {
			t.Errorf("%v: %v, %s, %s", killed, states(stand), k.sockets[1].cc, k.sockets[2].cc)
		}
	}
}
