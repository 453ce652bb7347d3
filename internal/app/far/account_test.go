package far

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"unchoke/internal/probe"
	"unchoke/internal/record"
	"unchoke/internal/session"
)

// A check whose far end is an unchoke has both accounts of every TCP test, and
// what the far host is.
func TestBothEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it checks the loopback for some seconds")
	}
	near, far := net.Pipe()
	go func() { _ = session.Far{Version: "far"}.Run(t.Context(), far, far) }()
	c, err := session.Open(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	defer c.End()
	const token = "0123456789abcdef"
	serving, err := c.Serve(t.Context(), session.Serve{Token: token, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	run := record.New("loopback", "test", time.Now())
	ends := Follow(t.Context(), run, c, "127.0.0.1")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := probe.Check(ctx, run, probe.Options{Address: netip.MustParseAddr("127.0.0.1"), Port: uint16(serving.Port), Quick: true, Token: token}); err != nil {
		t.Fatal(err)
	}
	ends.Tell(t.Context())
	if run.FarHost == nil || run.FarHost.Kernel == "" || run.FarRoute == nil || run.FarRoute.Address != "127.0.0.1" || run.FarRoute.Tunnel.Kind != "none" {
		t.Errorf("far host %+v, route %+v", run.FarHost, run.FarRoute)
	}
	tests := 0
	for _, x := range run.Transfers {
		if x.Protocol != record.TCP {
			continue
		}
		tests++
		if x.FarSide == nil || x.FarSide.Name != x.Name || len(x.FarSide.Series) != x.Streams {
			t.Fatalf("%s: the far side is %+v", x.Name, x.FarSide)
		}
		if got := x.SenderSide().Series[0]; !got.Sender || got.Samples[len(got.Samples)-1].Info.BytesAcked == 0 {
			t.Errorf("%s: the sender's side has no sender's series", x.Name)
		}
	}
	if tests < 2 {
		t.Errorf("%d TCP tests", tests)
	}
}
