package draw

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const train = `[{
	"name": "train", "about": "a modem on a train, beside other passengers",
	"clean": {"path": {"rtt": "48ms", "up.rate": "12mbit", "down.rate": "60mbit"}, "near_sysctl": {"net.ipv4.tcp_congestion_control": "bbr"}},
	"impairments": [
		{"name": "varying-delay", "directions": ["up", "down"], "path": {"jitter": "6ms", "order": "free"}},
		{"name": "policer", "directions": ["down"], "path": {"down.policer": "20mbit:60KiB"}}
	]
}]`

func TestWritten(t *testing.T) {
	w, err := ReadWritten(strings.NewReader(train))
	if err != nil {
		t.Fatal(err)
	}
	draws, err := w.Draws(7)
	if err != nil {
		t.Fatal(err)
	}
	d := draws[0]
	for _, x := range []struct{ what, got, want string }{
		{"name", d.Name(), "written-7-0000"},
		{"family", d.Family, "varying-delay+policer"},
		{"clean", d.Clean.Path, "rtt=48ms,up.rate=12mbit,down.rate=60mbit"},
		{"whole", d.Scene.Path, "rtt=48ms,jitter=6ms,order=free,up.rate=12mbit,down.rate=60mbit,down.policer=20mbit:60KiB"},
		{"without jitter", d.Impairments[0].Without.Path, "rtt=48ms,up.rate=12mbit,down.rate=60mbit,down.policer=20mbit:60KiB"},
		{"in order", d.Impairments[0].Partly[0].Without.Path, "rtt=48ms,jitter=6ms,order=keep,up.rate=12mbit,down.rate=60mbit,down.policer=20mbit:60KiB"},
		{"without policer", d.Impairments[1].Without.Path, "rtt=48ms,jitter=6ms,order=free,up.rate=12mbit,down.rate=60mbit"},
		{"host", strings.Join(d.Impairments[1].Without.NearSysctl, " "), "net.ipv4.tcp_congestion_control=bbr"},
	} {
		if x.got != x.want {
			t.Errorf("%s: %s, want %s", x.what, x.got, x.want)
		}
	}
	if d.Capacity[Down] != 60e6 || d.Ceiling[Down] != 20e6 || d.Ceiling[Up] != 12e6 || d.RTT != 0.048 {
		t.Errorf("figures: %v, %v, %v", d.Capacity, d.Ceiling, d.RTT)
	}
	if again, _ := w.Draws(7); again[0].Lab != d.Lab {
		t.Error("the lab's seed is another one each time")
	}
}

// What cannot be judged is refused with the reason, before anything runs.
func TestWrittenRefuses(t *testing.T) {
	for with, says := range map[[2]string]string{
		{`"jitter"`, `"wobble"`}:                    `"wobble" is no word of the path language`,
		{`"name": "policer"`, `"name": "gremlins"`}: `"gremlins" is no impairment that is known`,
		{`, "down.rate": "60mbit"`, ``}:             "a rate is missing",
		{`20mbit:60KiB`, `quick`}:                   "quick",
		{`"about"`, `"abuot"`}:                      "abuot",
	} {
		w, err := ReadWritten(strings.NewReader(strings.Replace(train, with[0], with[1], 1)))
		if err == nil {
			_, err = w.Draws(1)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", with, err, says)
		}
	}
}

// Every word of an impairment that a part leaves is still in the path.
func TestWrittenPartsKeepTheRest(t *testing.T) {
	w, _ := ReadWritten(strings.NewReader(train))
	draws, err := w.Draws(1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	jitter := draws[0].Impairments[0]
	for _, p := range slices.Concat(jitter.Partly, jitter.Together) {
		names = append(names, p.Name)
		if !strings.Contains(p.Without.Path, "jitter=6ms") {
			t.Errorf("%s: %s", p.Name, p.Without.Path)
		}
	}
	if !slices.Equal(names, []string{"overtaking", "early-exit", "bunching", "overtaking with early-exit", "overtaking with bunching"}) {
		t.Errorf("parts: %v", names)
	}
}

// The lists that are kept here can be run.
func TestWrittenLists(t *testing.T) {
	files, _ := filepath.Glob("../paths/*.json")
	if len(files) == 0 {
		t.Fatal("no lists")
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w, err := ReadWritten(f)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if draws, err := w.Draws(1); err != nil || len(draws) != len(w) {
			t.Errorf("%s: %d of %d paths, %v", file, len(draws), len(w), err)
		}
	}
}

// Parts are tried of a delay that varies or steps, and of nothing else that comes and
// goes: a deeper queue helps beside others too, and they are the cause.
func TestWrittenParts(t *testing.T) {
	for schedule, parts := range map[string]bool{
		"every 6s for 4s up.cross=4xcubic":        false,
		"every 6s for 4s loss=100%":               false,
		"every 6s for 200ms rtt=+40ms":            true,
		"every 6s for 200ms rtt=+40ms jitter=5ms": true,
	} {
		w, err := ReadWritten(strings.NewReader(strings.Replace(train, `"jitter": "6ms", "order": "free"`, `"schedule": "`+schedule+`"`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		draws, err := w.Draws(7)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(draws[0].Impairments[0].Partly) > 0; got != parts {
			t.Errorf("%s: parts %v", schedule, got)
		}
	}
}
