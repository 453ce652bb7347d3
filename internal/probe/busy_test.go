package probe

import (
	"strings"
	"testing"

	"unchoke/internal/record"
)

func TestOthers(t *testing.T) {
	full := []record.Core{{Core: 0, Busy: 1}, {Core: 1, Busy: 0.9, Stolen: 0.1}}
	vpn := record.ProgramUse{Name: "vpnd", Role: record.TunnelProgram, Cores: 0.3, Waited: 2}
	ffmpeg := record.ProgramUse{Name: "ffmpeg", Role: record.OtherProgram, Cores: 1.6}
	calm := vpn
	calm.Waited = 0.1
	large := vpn
	large.Cores = 1.5
	for name, c := range map[string]struct {
		cpu  *record.CPU
		want string
	}{
		"full":                    {&record.CPU{Cores: full, Programs: []record.ProgramUse{vpn, ffmpeg}}, "ffmpeg most, 160 % of a core"},
		"a core has time":         {&record.CPU{Cores: append([]record.Core{{Core: 2, Busy: 0.5}}, full...), Programs: []record.ProgramUse{vpn, ffmpeg}}, ""},
		"the tunnel did not wait": {&record.CPU{Cores: full, Programs: []record.ProgramUse{calm, ffmpeg}}, ""},
		"the tunnel's own work":   {&record.CPU{Cores: full, Programs: []record.ProgramUse{large}}, ""},
		"no tunnel":               {&record.CPU{Cores: full, Programs: []record.ProgramUse{ffmpeg}}, ""},
		"nothing known":           {nil, ""},
	} {
		got := others(record.Transfer{Name: "down-1", CPU: c.cpu})
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
