package watching

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"unchoke/internal/app/request"
	"unchoke/internal/hint"
	"unchoke/internal/linux/proc"
	"unchoke/internal/live"
	"unchoke/internal/live/filter"
)

func flowsAt(t *testing.T) []live.Flow {
	t.Helper()
	at := func(id, local, remote, process string, sent float64) live.Flow {
		return live.Flow{
			ID: id, Local: netip.MustParseAddrPort(local), Remote: netip.MustParseAddrPort(remote),
			State: "established", Process: process, SentLately: sent,
		}
	}
	closed := at("9", "10.0.0.1:443", "10.0.0.9:50009", "nginx", 1e9)
	closed.Closed = true
	return []live.Flow{
		at("1", "10.0.0.1:443", "10.0.0.7:50001", "nginx", 1e6),
		at("2", "10.0.0.1:443", "10.0.0.8:50002", "nginx", 5e6),
		at("3", "10.0.0.1:22", "10.0.0.8:50003", "sshd", 1e3),
		at("4", "[fd00::1]:40000", "[fd00::2]:443", "curl", 0),
		closed,
	}
}

func pick(t *testing.T, text string) Pick {
	t.Helper()
	f, err := filter.Parse(text, filter.Names{})
	if err != nil {
		t.Fatal(err)
	}
	return Pick{Filter: f}
}

// Of several the busiest is taken, the others are listed with the filter that
// picks each, and that filter does pick it.
func TestChoose(t *testing.T) {
	c, err := choose(FlowRequest{Pick: pick(t, "sport = 443")}, flowsAt(t))
	if err != nil {
		t.Fatal(err)
	}
	f := c.record()
	if c.Target() != "10.0.0.8:50002" || f.Matched != 2 || len(f.Others) != 1 || f.Others[0].Sent != 1e6 || f.Filter != "sport = 443" || c.cookie() != 2 {
		t.Errorf("chose %s of %+v", c.Target(), f)
	}
	for _, only := range []string{f.Only, f.Others[0].Only, "dst [fd00::2]:443 and sport = 40000"} {
		if again, err := choose(FlowRequest{Pick: pick(t, only)}, flowsAt(t)); err != nil || again.matched != 1 {
			t.Errorf("%s: %+v, %v", only, again, err)
		}
	}
	p := Pick{PID: 7, sockets: map[string]bool{"3": true}}
	if c, err = choose(FlowRequest{Pick: p}, flowsAt(t)); err != nil || c.flow.Process != "sshd" || c.record().Filter != "pid = 7" {
		t.Errorf("by process: %+v, %v", c, err)
	}
}

// Of connections that stand still, the one that has something to send is meant,
// and not its control connection, which had moved more when it began.
func TestChooseStanding(t *testing.T) {
	control := live.Flow{
		ID: "1", Local: netip.MustParseAddrPort("[fd00::2]:5201"), Remote: netip.MustParseAddrPort("[fd00::1]:56876"),
		State: "established", Sent: 4, Received: 180, SegmentSize: 1428,
	}
	data := control
	data.ID, data.Remote = "2", netip.MustParseAddrPort("[fd00::1]:56892")
	data.Sent, data.Received, data.Unacked = 0, 37, 10
	c, err := choose(FlowRequest{Pick: pick(t, "sport = 5201")}, []live.Flow{control, data})
	if err != nil || c.flow.ID != "2" {
		t.Errorf("chose %+v, %v", c, err)
	}
}

// Where none matches, the hint names what is nearest.
func TestChooseNone(t *testing.T) {
	for text, want := range map[string]string{
		"dport = 22":                   "'dst 10.0.0.8:50003 and sport = 22' (sshd)",
		"dst 10.0.0.8 and dport = 443": "'dst 10.0.0.8:50002 and sport = 443' (nginx)",
		"process = curl and rtt > 1s":  "'dst [fd00::2]:443 and sport = 40000' (curl)",
	} {
		_, err := choose(FlowRequest{Pick: pick(t, text)}, flowsAt(t))
		if err == nil || !strings.Contains(err.Error(), text) || !strings.HasPrefix(hint.Of(err), "the nearest are "+want) {
			t.Errorf("%s: %v, hint %q", text, err, hint.Of(err))
		}
	}
	if _, err := choose(FlowRequest{}, nil); err == nil || hint.Of(err) == "" {
		t.Errorf("no connection at all: %v", err)
	}
}

func TestFlowTimes(t *testing.T) {
	if _, err := Choose(t.Context(), FlowRequest{For: 1}); err == nil {
		t.Error("a nanosecond is enough")
	} else if _, refused := errors.AsType[*request.Error](err); !refused {
		t.Error(err)
	}
}

// A process's connections are its children's too.
func TestFamily(t *testing.T) {
	all := []proc.Task{{ID: 5, Name: "ssh", Parent: 4}, {ID: 4, Name: "rsync", Parent: 3}, {ID: 3, Name: "rsync", Parent: 1}, {ID: 9, Name: "curl", Parent: 1}}
	if got := familyOf(all, 3); len(got) != 3 || got[5] != "ssh" {
		t.Errorf("%v", got)
	}
	if got := familyOf(all, 8); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
