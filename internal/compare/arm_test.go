package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/record"
)

func TestParseArm(t *testing.T) {
	for text, want := range map[string]record.Arm{
		"cc=bbr":                       {Name: "cc=bbr", CC: "bbr"},
		"window=512KiB,cc=cubic":       {Name: "cc=cubic,window=512KiB", CC: "cubic", Window: 512 << 10},
		"streams=8":                    {Name: "streams=8", Streams: 8},
		"target=[2001:db8::1]:5201":    {Name: "target=[2001:db8::1]:5201", Target: "[2001:db8::1]:5201"},
		"target=http://h/x?a=b":        {Name: "target=http://h/x?a=b", Target: "http://h/x?a=b"},
		"direction=up,target=far":      {Name: "target=far,direction=up", Target: "far", Direction: record.Up},
		"cc=bbr,target=far.underlay":   {Name: "cc=bbr,target=far.underlay", CC: "bbr", Target: "far.underlay"},
		"streams=1,direction=down":     {Name: "streams=1,direction=down", Streams: 1, Direction: record.Down},
		"window=1500":                  {Name: "window=1500B", Window: 1500},
		"cc=tcp_highspeed_x,streams=2": {Name: "cc=tcp_highspeed_x,streams=2", CC: "tcp_highspeed_x", Streams: 2},
	} {
		got, err := ParseArm(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// An error names what is wrong, points at it, and says what is allowed.
func TestArmErrors(t *testing.T) {
	for _, c := range []struct{ text, part, hint string }{
		{"", "", "keys are cc, window, streams, target, direction"},
		{"bbr", "bbr", "keys are"},
		{"cc=bbr,algo=x", "algo", "keys are"},
		{"cc=bbr,cc=cubic", "cc", "each key once"},
		{"cc=", "", "cc takes the name of a congestion control"},
		{"cc=b r", "b r", "cc takes"},
		{"cc=averyverylongname", "averyverylongname", "cc takes"},
		{"window=big", "big", "window takes a socket buffer's size"},
		{"window=0", "0", "window takes"},
		{"window=4GiB", "4GiB", "window takes"},
		{"streams=0", "0", "streams takes a number from 1 to 128"},
		{"streams=129", "129", "streams takes"},
		{"target=a b", "a b", "target takes"},
		{"direction=sideways", "sideways", "direction takes up"},
		{"streams=1,,cc=bbr", "", "keys are"},
	} {
		_, err := ParseArm(c.text)
		checkParseError(t, c.text, err, c.part, c.hint)
	}
	for _, c := range []struct{ text, part, hint string }{
		{"", "", "such as cc=cubic,bbr"},
		{"  ", "  ", "such as"},
		{"cc=cubic,bbr streams=1,two", "two", "streams takes"},
		{"cc=cubic,cubic", "cubic", "each value once"},
		{"window=1KiB,1024", "1024", "each value once"},
		{"cc=cubic cc=bbr", "cc", "each key once"},
		{"cc=cubic  mode=x", "mode", "keys are"},
		{"streams=1,2,3,4,5,6,7,8,9 cc=a,b,c,d,e,f,g,h,i", "cc=a,b,c,d,e,f,g,h,i", "fewer values"},
	} {
		_, err := Grid(c.text)
		checkParseError(t, c.text, err, c.part, c.hint)
	}
}

func checkParseError(t *testing.T, text string, err error, part, hint string) {
	t.Helper()
	wrong, ok := errors.AsType[*ParseError](err)
	if !ok {
		t.Errorf("%q: %v, want a *ParseError", text, err)
		return
	}
	if got := text[wrong.Offset : wrong.Offset+wrong.Length]; got != part {
		t.Errorf("%q: points at %q, want %q", text, got, part)
	}
	if !strings.Contains(wrong.Hint(), hint) {
		t.Errorf("%q: hint %q lacks %q", text, wrong.Hint(), hint)
	}
}

func TestPointer(t *testing.T) {
	_, err := ParseArm("cc=bbr,streams=none")
	wrong, _ := errors.AsType[*ParseError](err)
	if got, want := wrong.Pointer(), "cc=bbr,streams=none\n               ^^^^"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := wrong.Error(), `arm: bad value for streams: "none" is not a number of streams at character 16`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The grid of the article on traffic between points of presence.
func TestGrid(t *testing.T) {
	arms, err := Grid("cc=cubic,bbr  target=far,far.underlay direction=up,down")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range arms {
		names = append(names, a.Name)
	}
	want := []string{
		"cc=cubic,target=far,direction=up",
		"cc=cubic,target=far,direction=down",
		"cc=cubic,target=far.underlay,direction=up",
		"cc=cubic,target=far.underlay,direction=down",
		"cc=bbr,target=far,direction=up",
		"cc=bbr,target=far,direction=down",
		"cc=bbr,target=far.underlay,direction=up",
		"cc=bbr,target=far.underlay,direction=down",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func TestCheckArms(t *testing.T) {
	cubic, bbr := record.Arm{CC: "cubic"}, record.Arm{CC: "bbr"}
	for _, c := range []struct {
		arms      []record.Arm
		identical bool
		ok        bool
	}{
		{[]record.Arm{cubic, bbr}, false, true},
		{[]record.Arm{cubic}, false, false},
		{nil, true, false},
		{[]record.Arm{cubic, bbr, {Name: "again", CC: "cubic"}}, false, false},
		{[]record.Arm{cubic, cubic}, true, true},
		{make([]record.Arm, MaxArms+1), true, false},
	} {
		if err := CheckArms(c.arms, c.identical); (err == nil) != c.ok {
			t.Errorf("%v, identical %v: %v", c.arms, c.identical, err)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct{ arms, want []string }{
		{[]string{"cc=cubic,streams=1", "cc=bbr,streams=1"}, []string{"cubic", "bbr"}},
		{[]string{"streams=1", "streams=8"}, []string{"1 stream", "8 streams"}},
		{[]string{"cc=cubic", "cc=bbr,target=far.underlay"}, []string{"cubic far", "bbr far.underlay"}},
		{[]string{"window=64KiB", "streams=4"}, []string{"window 64KiB default streams", "default window 4 streams"}},
		{[]string{"cc=bbr", "cc=bbr"}, []string{"arm 1 (cc=bbr)", "arm 2 (cc=bbr)"}},
		{[]string{"cc=bbr", "cc=bbr", "cc=reno"}, []string{"arm 1 (bbr)", "arm 2 (bbr)", "reno"}},
	} {
		comparison := &record.Comparison{Target: "far"}
		for _, text := range c.arms {
			arm, err := ParseArm(text)
			if err != nil {
				t.Fatal(err)
			}
			comparison.Arms = append(comparison.Arms, arm)
		}
		if got := Labels(comparison); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.arms, got, c.want)
		}
	}
}

// What parses prints back as text that parses to the same arm.
func FuzzParseArm(f *testing.F) {
	for _, text := range []string{"cc=bbr", "cc=bbr,window=1.5MB,streams=8,target=far:5201,direction=up", "target=http://h/?a=b", "cc=,", "=", "streams=-1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		arm, err := ParseArm(text)
		if err != nil {
			checkPosition(t, text, err)
			return
		}
		if again, err := ParseArm(FormatArm(arm)); err != nil || again != arm {
			t.Errorf("%q → %+v → %q → %+v, %v", text, arm, FormatArm(arm), again, err)
		}
	})
}

// A grid's arms all differ, parse by themselves, and every list multiplies them.
func FuzzGrid(f *testing.F) {
	for _, text := range []string{"cc=cubic,bbr target=far,far.underlay direction=up,down", "cc=a", " streams=1,2 ", "cc=a,a", "window=1,1B"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		arms, err := Grid(text)
		if err != nil {
			checkPosition(t, text, err)
			return
		}
		want := 1
		for list := range strings.SplitSeq(text, " ") {
			if list != "" {
				want *= strings.Count(list, ",") + 1
			}
		}
		if len(arms) != want {
			t.Errorf("%q: %d arms, want %d", text, len(arms), want)
		}
		seen := map[record.Arm]bool{}
		for _, arm := range arms {
			if again, err := ParseArm(arm.Name); err != nil || again != arm || seen[arm] {
				t.Errorf("%q: arm %+v parses to %+v, %v; seen before: %v", text, arm, again, err, seen[arm])
			}
			seen[arm] = true
		}
	})
}

func checkPosition(t *testing.T, text string, err error) {
	t.Helper()
	wrong, ok := errors.AsType[*ParseError](err)
	if !ok || wrong.Offset < 0 || wrong.Offset+wrong.Length > len(text) || wrong.Hint() == "" {
		t.Errorf("%q: %#v", text, err)
	}
}
