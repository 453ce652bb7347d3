//go:build !slim

package watchcmd

import (
	"testing"
	"testing/fstest"

	"unchoke/internal/linux/sysctl"
)

func TestOnLoopback(t *testing.T) {
	for given, want := range map[string]string{
		"9719": "127.0.0.1:9719", ":9719": ":9719", "192.0.2.1:9719": "192.0.2.1:9719", "[::1]:9719": "[::1]:9719", "0": "127.0.0.1:0",
		"70000": "", "port": "", "192.0.2.1": "", "::1": "", "192.0.2.1:": "",
	} {
		if got, err := onLoopback(given); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", given, got, err, want)
		}
	}
}

func TestEphemeralPorts(t *testing.T) {
	for text, want := range map[string][2]uint16{
		"32768\t60999\n": {32768, 60999}, "1024 65535": {1024, 65535},
		"32768": {}, "1 2 3": {}, "": {}, "1 65536": {}, "a b": {},
	} {
		tree := sysctl.Tree{FS: fstest.MapFS{"net/ipv4/ip_local_port_range": {Data: []byte(text)}}}
		if got, err := ephemeralPorts(tree); got != want || (err == nil) != (want != [2]uint16{}) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
