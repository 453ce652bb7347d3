package proc

import (
	"io/fs"
	"os"
	"runtime"
	"testing"
	"testing/fstest"
	"time"
)

const stat = `cpu  300 0 100 800 20 3 7 10 0 0
cpu0 200 5 50 400 10 1 4 10 0 0
cpu2 100 0 50 400 10 2 3 0 0 0
intr 12345 0 1
ctxt 99
`

func TestCores(t *testing.T) {
	got, err := Cores(fstest.MapFS{"stat": {Data: []byte(stat)}})
	want := []Core{
		{Number: 0, Busy: 2600 * time.Millisecond, SoftIRQ: 50 * time.Millisecond, Kernel: 500 * time.Millisecond, Idle: 4100 * time.Millisecond, Stolen: 100 * time.Millisecond},
		{Number: 2, Busy: 1550 * time.Millisecond, SoftIRQ: 50 * time.Millisecond, Kernel: 500 * time.Millisecond, Idle: 4100 * time.Millisecond},
	}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, text := range []string{"cpu0 1 2 3\n", "cpu0 1 2 3 4 5 6 7 x\n", "cpux 1 2 3 4 5 6 7 8\n"} {
		if got, err := parseCores(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if _, err := Cores(fstest.MapFS{}); err == nil {
		t.Error("no error without a file")
	}
}

// line is a process's stat; its name may hold anything.
func line(id, name, flags, user, system, core string) []byte {
	return []byte(id + " (" + name + ") S 1 1 1 0 -1 " + flags + " 1 2 3 4 " + user + " " + system +
		" 0 0 20 0 9 0 100 1000 50 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 " + core + " 0 0 0 0 0\n")
}

var tree = fstest.MapFS{
	"self":                 {Data: []byte("not a process")},
	"12/stat":              {Data: line("12", "wireguard-go", "4194560", "150", "50", "1")},
	"12/task/12/stat":      {Data: line("12", "wireguard-go", "4194560", "100", "0", "1")},
	"12/task/12/schedstat": {Data: []byte("1234567890 250000000 77\n")},
	"12/task/13/stat":      {Data: line("13", "wireguard-go", "4194560", "50", "50", "0")},
	"12/fdinfo/3":          {Data: []byte("pos:\t0\nflags:\t02\niff:\twg1\n")},
	"12/fdinfo/4":          {Data: []byte("pos:\t0\n")},
	"14/stat":              {Data: line("14", "ksoftirqd/1", "69238848", "0", "33", "1")},
	"15/stat":              {Data: line("15", "a) R (b", "4194304", "1", "2", "0")},
	"15/fdinfo/3":          {Data: []byte("iff:\twg10\n")},
	"16/comm":              {Data: []byte("ended meanwhile")},
}

func TestProcesses(t *testing.T) {
	got, err := Processes(tree)
	want := []Task{
		{ID: 12, Name: "wireguard-go", Parent: 1, Time: 2 * time.Second, Core: 1},
		{ID: 14, Name: "ksoftirqd/1", Parent: 1, Kernel: true, Time: 330 * time.Millisecond, Core: 1},
		{ID: 15, Name: "a) R (b", Parent: 1, Time: 30 * time.Millisecond},
	}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func TestThreads(t *testing.T) {
	got, err := Threads(tree, 12)
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if x := got[0]; x.Time != 1234567890 || x.Waited != 250*time.Millisecond {
		t.Errorf("%+v: not schedstat's times", x)
	}
	if x := got[1]; x.Time != time.Second || x.Waited != 0 || x.Core != 0 {
		t.Errorf("%+v: not stat's times", x)
	}
	if _, err := Threads(tree, 99); err == nil {
		t.Error("a process that has ended has threads")
	}
}

func TestHolder(t *testing.T) {
	if p, ok := Holder(tree, "wg1"); !ok || p.ID != 12 {
		t.Errorf("wg1 is held by %+v, %v", p, ok)
	}
	if p, ok := Holder(tree, "wg"); ok {
		t.Errorf("wg is held by %+v", p)
	}
}

// Two hosts of one kernel may call their devices alike.
func TestHolderOfThisNamespace(t *testing.T) {
	two := fstest.MapFS{
		"self/ns/net": {Data: []byte("net:[5]"), Mode: fs.ModeSymlink},
		"1/stat":      {Data: line("1", "there", "0", "0", "0", "0")}, "1/fdinfo/3": {Data: []byte("iff:\ttun0\n")},
		"1/ns/net": {Data: []byte("net:[4]"), Mode: fs.ModeSymlink},
		"2/stat":   {Data: line("2", "here", "0", "0", "0", "0")}, "2/fdinfo/3": {Data: []byte("iff:\ttun0\n")},
		"2/ns/net": {Data: []byte("net:[5]"), Mode: fs.ModeSymlink},
	}
	if p, ok := Holder(two, "tun0"); !ok || p.Name != "here" {
		t.Errorf("%+v, %v", p, ok)
	}
	delete(two, "2/ns/net")
	delete(two, "2/stat")
	if p, ok := Holder(two, "tun0"); !ok || p.Name != "there" {
		t.Errorf("where no process of this namespace has it: %+v, %v", p, ok)
	}
}

func TestInode(t *testing.T) {
	for link, want := range map[string]uint64{"socket:[77]": 77, "socket:[x]": 0, "pipe:[77]": 0, "/dev/null": 0} {
		if got, ok := inodeOf(link); got != want || ok != (want != 0) {
			t.Errorf("%s: %d, %v", link, got, ok)
		}
	}
}

// This process is among this host's, and is not the kernel's.
func TestSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc")
	}
	all, err := Processes(System())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.ID == os.Getpid() {
			if p.Kernel {
				t.Errorf("%+v", p)
			}
			return
		}
	}
	t.Errorf("%d is not among %d processes", os.Getpid(), len(all))
}

func FuzzTask(f *testing.F) {
	f.Add(string(line("12", "wireguard-go", "4194560", "150", "50", "1")))
	f.Fuzz(func(t *testing.T, text string) { _, _ = parseTask(text) })
}

func FuzzCores(f *testing.F) {
	f.Add(stat)
	f.Fuzz(func(t *testing.T, text string) { _, _ = parseCores(text) })
}
