package module

import (
	"maps"
	"strings"
	"testing"
)

func TestParseLoaded(t *testing.T) {
	got, err := parseLoaded(strings.NewReader(
		"tcp_bbr 20480 7 - Live 0x0000000000000000\n" +
			"sch_fq 24576 0 - Live 0x0000000000000000\n" +
			"ipv6 610304 - - Live 0x0000000000000000 [permanent]\n"))
	want := map[string]int{"tcp_bbr": 7, "sch_fq": 0, "ipv6": 0}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"tcp_bbr 20480\n", "tcp_bbr 20480 many - Live\n"} {
		if got, err := parseLoaded(strings.NewReader(bad)); err == nil {
			t.Errorf("%q gives %v", bad, got)
		}
	}
}
