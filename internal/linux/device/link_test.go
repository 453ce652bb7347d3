package device

import (
	"testing"
	"testing/fstest"
)

func TestLinkOf(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	devices := fstest.MapFS{
		"eth0/speed": file("1000\n"), "eth0/duplex": file("full\n"),
		"eth1/speed": file("10\n"), "eth1/duplex": file("half\n"),
		"down0/speed": file("-1\n"), "down0/duplex": file("unknown\n"),
		"odd0/speed": file("99999999999999\n"), "odd0/duplex": file(""),
		"wlan0/phy80211/name": file("phy0\n"),
	}
	for name, want := range map[string]Link{
		"eth0":  {Speed: 1e9, Duplex: "full"},
		"eth1":  {Speed: 1e7, Duplex: "half"},
		"down0": {},
		"odd0":  {},
		"wlan0": {Wireless: true},
		"none":  {},
	} {
		if got := LinkOf(devices, name); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
