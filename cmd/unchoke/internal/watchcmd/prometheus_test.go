//go:build !slim

package watchcmd

import (
	"testing"
	"testing/fstest"

	"github.com/spf13/pflag"

	"unchoke/cmd/unchoke/internal/cli"
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

// What shapes the metrics is refused where nothing serves them.
func TestFlagsThatNeedPrometheus(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"--prometheus-top", "3"}, "--prometheus-top needs --prometheus"},
		{[]string{"--prometheus-sets", "30"}, "--prometheus-sets needs --prometheus"},
		{[]string{"--prometheus-sets", "0"}, "--prometheus-sets needs --prometheus"},
		{[]string{"--prometheus", "0", "--prometheus-sets", "0"}, "--prometheus-sets 0: it is at least 1"},
	} {
		var x exporter
		flags := pflag.NewFlagSet("watch", pflag.ContinueOnError)
		x.flags(flags)
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, _, err := x.open(&cli.App{}); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
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
