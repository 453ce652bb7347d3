package livetest

import (
	"math/rand/v2"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// kind is what a connection is like all its life.
type kind struct {
	process, unit string
	cc            string
	port          uint16 // of the service
	sent          float64
	received      float64 // bit/s, about
	rtt           float64 // seconds
	jitter        float64 // as a share of the RTT
	retransmits   float64 // as a share of the segments
	limits        live.Limits
	verdict       finding.Cause
	confidence    float64
	summary       string
	advice, next  string
	warnings      []live.Warning
}

var kinds = []kind{
	{
		process: "jellyfin", unit: "jellyfin.service", cc: "cubic", port: 8096, sent: 1.2e7, rtt: 0.05, jitter: 0.02, retransmits: 0.006,
		limits: live.Limits{Network: 0.95, App: 0.05}, verdict: finding.LossLimited, confidence: 0.9,
		summary: "cubic takes random loss for congestion", advice: "bbr: about ×4 expected at this loss and RTT", next: "unchoke tune live 'sport = 8096' --cc bbr",
	},
	{
		process: "nginx", unit: "nginx.service", cc: "bbr", port: 443, sent: 9.4e8, rtt: 0.012, jitter: 0.01,
		limits: live.Limits{Network: 1}, verdict: finding.Healthy, confidence: 0.95, summary: "one stream carries what the path can",
	},
	{
		process: "sshd", unit: "ssh.service", cc: "cubic", port: 22, sent: 2e4, received: 8e3, rtt: 0.03, jitter: 0.05,
		limits: live.Limits{App: 1}, verdict: finding.AppLimited, confidence: 0.99, summary: "the program does not offer more", advice: "leave it: limited by the program",
	},
	{
		process: "ffmpeg", unit: "session-3.scope", cc: "cubic", port: 1935, sent: 6e6, rtt: 0.045, jitter: 0.21, retransmits: 0.02,
		limits: live.Limits{Network: 0.8, App: 0.2}, verdict: finding.Reordering, confidence: 0.7, summary: "jitter reorders packets, and the sender takes that for loss",
		advice: "measure both: in this band bbr may lose", next: "unchoke ab 198.51.100.7", warnings: []live.Warning{live.ChaosZone},
	},
	{
		process: "curl", unit: "user@1000.service", cc: "cubic", port: 443, received: 2.5e8, rtt: 0.08, jitter: 0.03,
		limits: live.Limits{App: 1}, verdict: finding.ReceiveWindow, confidence: 0.6, summary: "this host's receive window is smaller than the path needs",
	},
	{
		process: "postgres", unit: "postgresql.service", cc: "cubic", port: 5432, rtt: 0.0004, jitter: 0.1,
		limits: live.Limits{App: 1}, verdict: live.Watching,
	},
	{
		process: HostileProcess, unit: "evil\x1b[31m.service", cc: "cubic", port: 6666, sent: 3e5, rtt: 0.2, jitter: 0.08, retransmits: 0.001,
		limits: live.Limits{SendBuffer: 0.9, Network: 0.1}, verdict: finding.SendBuffer, confidence: 0.8, summary: "the send buffer is smaller than the bandwidth-delay product",
	},
	{}, // unprivileged: an owner that may not be read
}

// around is v, up to a share more or less.
func around(r *rand.Rand, v, share float64) float64 { return v * (1 + share*(2*r.Float64()-1)) }
