package check

import (
	"slices"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// What both directions want is one step, with each host's command; what one wants alone
// stays its own.
func TestSteps(t *testing.T) {
	remedy := func(what string, where finding.Where, d record.Direction, command string) finding.Remedy {
		return finding.Remedy{What: what, Where: where, Host: where.Host(d), Command: command}
	}
	both := func(cause finding.Cause, of func(record.Direction) []finding.Remedy) Report {
		return Report{Findings: []finding.Finding{
			{Cause: cause, Direction: record.Down, Remedies: of(record.Down)},
			{Cause: cause, Direction: record.Up, Remedies: of(record.Up)},
			{Cause: finding.Relayed, Direction: record.Up, Remedies: []finding.Remedy{{What: "another cause's"}}},
		}}
	}
	for name, c := range map[string]struct {
		report Report
		want   [][2]string
	}{
		"the same command on both hosts": {
			both(finding.LossLimited, func(d record.Direction) []finding.Remedy {
				return []finding.Remedy{remedy("Use BBR.", finding.Sender, d, "sysctl cc"), remedy("Find the loss.", finding.Network, d, "")}
			}),
			[][2]string{{"On both hosts (each is a sender): Use BBR.", "sysctl cc"}, {"In the network: Find the loss.", ""}},
		},
		"a command for each": {
			both(finding.SendBuffer, func(d record.Direction) []finding.Remedy {
				return []finding.Remedy{remedy("A larger buffer.", finding.Sender, d, "sysctl "+string(d))}
			}),
			[][2]string{{"On both hosts (each is a sender): A larger buffer.", "# download\nsysctl down\n# upload\nsysctl up"}},
		},
		"a queue for each": {
			both(finding.Bufferbloat, func(d record.Direction) []finding.Remedy {
				return []finding.Remedy{remedy("A smart queue.", finding.Network, d, "tc "+string(d))}
			}),
			[][2]string{{"In the network: A smart queue.", "# download\ntc down\n# upload\ntc up"}},
		},
		"the same on the same host, which receives and sends": {
			both(finding.MTUBlackhole, func(d record.Direction) []finding.Remedy {
				end := finding.Receiver
				if d == record.Up {
					end = finding.Sender
				}
				return []finding.Remedy{remedy("A smaller MTU.", end, d, "ip route")}
			}),
			[][2]string{{"Here: A smaller MTU.", "ip route"}},
		},
		"the far host, which sends and receives": {
			both(finding.ReceiveWindow, func(d record.Direction) []finding.Remedy {
				end := finding.Sender
				if d == record.Up {
					end = finding.Receiver
				}
				return []finding.Remedy{remedy("Window scaling.", end, d, "sysctl")}
			}),
			[][2]string{{"On the far host: Window scaling.", "sysctl"}},
		},
		"different words": {
			both(finding.LossLimited, func(d record.Direction) []finding.Remedy {
				return []finding.Remedy{remedy("Use BBR, "+string(d)+".", finding.Sender, d, "sysctl cc")}
			}),
			[][2]string{{"On the far host (the sender): Use BBR, down.", "sysctl cc"}, {"Here (the sender): Use BBR, up.", "sysctl cc"}},
		},
		"one direction": {
			Report{Findings: []finding.Finding{
				{Cause: finding.LossLimited, Direction: record.Up, Remedies: []finding.Remedy{remedy("Use BBR.", finding.Sender, record.Up, "sysctl cc")}},
				{Cause: finding.Healthy, Direction: record.Down},
			}},
			[][2]string{{"Here (the sender): Use BBR.", "sysctl cc"}},
		},
	} {
		var got [][2]string
		for _, s := range c.report.steps() {
			got = append(got, [2]string{s.words(), s.command()})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
