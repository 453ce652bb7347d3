package diagnose

import (
	"strings"
	"testing"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// A network may lose a tunnel's UDP alone: what a stream in it loses says less of the
// path, and nothing less of anything else.
func TestInUDP(t *testing.T) {
	for _, c := range []struct {
		cause finding.Cause
		kind  string
		want  float64
	}{
		{finding.LossLimited, "wireguard", udpUntold},
		{finding.Policed, "tailscale", udpUntold},
		{finding.LossLimited, "gre", 0.8},
		{finding.LossLimited, "", 0.8},
		{finding.Healthy, "wireguard", 0.8},
	} {
		f := inUDP(finding.Finding{Cause: c.cause, Confidence: 0.8}, record.Tunnel{Kind: c.kind})
		if f.Confidence != c.want || strings.Contains(f.Summary, c.kind+")") != (c.want == udpUntold) {
			t.Errorf("%s in %q: %v, %q", c.cause, c.kind, f.Confidence, f.Summary)
		}
	}
}

// Where nothing moves, for this host's program reads nothing, it is the download that
// stands.
func TestReaderStops(t *testing.T) {
	var all []record.Sample
	for k := range 500 {
		all = append(all, record.Sample{
			At: float64(k) / 50,
			Info: tcpinfo.Info{
				Length: int(tcpinfo.FieldRcvWnd), State: tcpinfo.Established, SndMSS: 1448, RcvMSS: 1448, BytesReceived: 8e6,
				LastDataRecv: time.Minute, LastDataSent: time.Minute,
			},
			Memory: &record.SocketMemory{Unread: 6e6, Arrived: 7e6},
		})
	}
	found := Diagnose(&record.Run{
		Flow:      &record.Flow{Sends: true},
		Transfers: []record.Transfer{{Series: []record.Series{{Sender: true, Samples: all}}}},
	})
	if f := found[0]; f.Cause != finding.ReceiveWindow || f.Direction != record.Down || f.Remedies[0].Host != "near" {
		t.Errorf("%+v", f)
	}
}
