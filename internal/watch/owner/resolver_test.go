package owner

import (
	"io/fs"
	"testing"
	"testing/fstest"
	"time"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func link(to string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink} }

// host has three processes: two hold sockets, and one socket is held by both.
var host = fstest.MapFS{
	"proc/self/mountinfo": file("31 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
	"proc/12/comm":        file("nginx\n"),
	"proc/12/cgroup":      file("0::/system.slice/nginx.service\n"),
	"proc/12/fd/3":        link("socket:[100]"),
	"proc/12/fd/4":        link("socket:[101]"),
	"proc/12/fd/5":        link("pipe:[102]"),
	"proc/13/comm":        file("a b\xff\n"),
	"proc/13/cgroup":      file("3:cpu:/\n1:name=systemd:/user.slice/session-3.scope\n0::/\n"),
	"proc/13/fd/3":        link("socket:[103]"),
	"proc/13/fd/9":        link("socket:[101]"),
	"proc/14/comm":        file("kthreadd\n"),
	"proc/uptime":         file("1\n"),

	"sys/fs/cgroup/system.slice/nginx.service/cgroup.procs": file("12\n"),
}

// paths knows two groups.
type paths struct{ closed chan struct{} }

func (p paths) Path(number uint64) (string, bool) {
	return map[uint64]string{1: "/", 77: "/system.slice/nginx.service"}[number], true
}

func (p paths) Close() error { close(p.closed); return nil }

// wait asks until there is an answer.
func wait[T any](t *testing.T, ask func() (T, bool)) T {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		answer, ok := ask()
		if ok {
			return answer
		}
		if time.Now().After(end) {
			t.Fatal("no answer")
		}
	}
}

func TestResolver(t *testing.T) {
	tree, err := fs.Sub(host, "proc")
	if err != nil {
		t.Fatal(err)
	}
	p := paths{make(chan struct{})}
	r := New(host, tree, p)
	for number, want := range map[uint64]Group{
		0: {}, 1: {Path: "/"}, 5: {}, 77: {Path: "/system.slice/nginx.service", Unit: "nginx.service"},
	} {
		if got := wait(t, func() (Group, bool) { return r.Group(number) }); got != want {
			t.Errorf("group %d: %+v, want %+v", number, got, want)
		}
	}
	nginx := Process{12, "nginx", "/system.slice/nginx.service"}
	want := map[uint64]Process{100: nginx, 101: nginx, 103: {13, "a b\ufffd", "/user.slice/session-3.scope"}, 102: {}, 999: {}}
	for inode := range want {
		if _, ok := r.Take(inode); ok {
			t.Errorf("socket %d: an answer before the question", inode)
		}
		if !r.Ask(inode, 77) {
			t.Errorf("socket %d is refused", inode)
		}
	}
	for inode, want := range want {
		if got := wait(t, func() (Process, bool) { return r.Take(inode) }); got != want {
			t.Errorf("socket %d: %+v, want %+v", inode, got, want)
		}
	}
	if _, ok := r.Take(100); ok {
		t.Error("an answer came twice")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	<-p.closed
}

// late knows a group when it is asked the second time.
type late struct{ asked bool }

func (l *late) Path(uint64) (string, bool) {
	if !l.asked {
		l.asked = true
		return "", false
	}
	return "/system.slice/nginx.service", true
}

func (l *late) Close() error { return nil }

// A group that was not looked for yet is asked for again.
func TestGroupNotLookedForYet(t *testing.T) {
	r := New(host, host, &late{})
	defer r.Close()
	if g := wait(t, func() (Group, bool) { return r.Group(77) }); g.Unit != "nginx.service" {
		t.Errorf("the group is %+v", g)
	}
}

// tree is /proc. It calls what a test does in the middle of a search.
type tree struct {
	fs.ReadLinkFS
	searched func()
}

func (p tree) Open(name string) (fs.File, error) {
	p.searched()
	return p.ReadLinkFS.Open(name)
}

// A socket that is forgotten while it is looked for leaves no answer, which a later
// one with its inode would take for its own.
func TestForgottenDuringTheSearch(t *testing.T) {
	proc, err := fs.Sub(host, "proc")
	if err != nil {
		t.Fatal(err)
	}
	r := Resolver{
		asked: map[uint64]uint64{}, processes: map[uint64]Process{}, wake: make(chan struct{}, 1), root: host,
	}
	r.tree = tree{proc.(fs.ReadLinkFS), func() {
		if p, ok := r.Take(103); ok {
			t.Errorf("an answer in the midst of the search: %+v", p)
		}
		r.Forget(100)
	}}
	r.Ask(100, 0)
	r.Ask(103, 0)
	r.findProcesses()
	if p, ok := r.Take(100); ok {
		t.Errorf("the socket that was forgotten is of %+v", p)
	}
	if p, ok := r.Take(103); !ok || p.PID != 13 {
		t.Errorf("the other socket is of %+v, %v", p, ok)
	}
	r.tree = proc
	r.Ask(100, 0)
	r.findProcesses()
	if p, ok := r.Take(100); !ok || p.PID != 12 {
		t.Errorf("asked for anew: %+v, %v", p, ok)
	}
}

// The processes of the sockets' own groups are looked at first: no other is
// when they hold them all.
func TestOwnGroupFirst(t *testing.T) {
	tree, err := fs.Sub(host, "proc")
	if err != nil {
		t.Fatal(err)
	}
	s := search{root: host, tree: tree, wanted: map[uint64]uint64{100: 77}, found: map[uint64]Process{}, seen: map[int]bool{}}
	s.near([]string{"/system.slice/nginx.service", "/gone"})
	s.all()
	if s.found[100].PID != 12 || s.seen[13] || !s.seen[12] {
		t.Errorf("found %+v, looked at %v", s.found, s.seen)
	}
}

// What waits is bounded, and a question that is dropped is not answered.
func TestBounds(t *testing.T) {
	r := Resolver{asked: map[uint64]uint64{}, processes: map[uint64]Process{}, wake: make(chan struct{}, 1)}
	for inode := range uint64(mostAsked + 10) {
		if r.Ask(inode+1, 0) != (inode < mostAsked) {
			t.Fatalf("question %d", inode)
		}
	}
	r.Forget(7)
	if _, asked := r.asked[7]; asked || !r.Ask(8_000_000, 0) {
		t.Error("a question that was dropped is there")
	}
}
