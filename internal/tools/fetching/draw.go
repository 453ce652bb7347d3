package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"unchoke/internal/finding"
)

// scene is a path with a web server at its end.
type scene struct {
	Path   string `json:"path"`
	Near   string `json:"near_sysctl,omitempty"`
	Far    string `json:"far_sysctl,omitempty"`
	Server string `json:"server"` // nginx, caddy or pace: python's http.server with a pace
	Limit  string `json:"limit,omitempty"`
	File   string `json:"file_bytes"`
}

// job is a scene, the same without what is wrong with it, and what that is.
type job struct {
	Name    string        `json:"name"`
	Family  string        `json:"family"`
	Lab     uint64        `json:"lab_seed"`
	Scene   scene         `json:"scene"`
	Without scene         `json:"without"`
	Cause   finding.Cause `json:"cause"` // where taking it away matters
	Rate    float64       `json:"rate_bps"`
}

const whole = "4G"

// families, each as often as it stands here.
var families = []string{
	"healthy", "healthy", "healthy", "far away", "loss", "loss", "loss", "limit_rate", "limit_rate", "paced program",
	"send buffer", "send buffer", "receive buffer", "receive buffer", "policer", "policer", "deep queue", "deep queue",
	"cross traffic", "cross traffic", "reordering", "short file", "short file", "short queue",
}

// draw draws a path: its RTT around 40 ms, as to servers of one's own continent,
// and its rate between those of DSL and of a fast access line that the lab's TLS
// can fill.
func draw(seed uint64, i int) job {
	r := rand.New(rand.NewPCG(seed, uint64(i)))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	j := job{Name: fmt.Sprintf("%d-%03d", seed, i), Family: families[r.IntN(len(families))], Lab: 1 + r.Uint64()%1_000_000}
	rtt := min(max(0.04*math.Exp(0.6*r.NormFloat64()), 0.008), 0.18)
	j.Rate = between(8e6, 60e6)
	server := "nginx"
	if r.Float64() < 0.4 {
		server = "caddy"
	}
	if j.Family == "far away" {
		rtt = between(0.15, 0.28)
	}
	if j.Family == "send buffer" || j.Family == "receive buffer" || j.Family == "short file" {
		rtt = max(rtt, 0.03)
	}
	bdp := j.Rate / 8 * rtt
	// The bottleneck's own queue: half to one and a half of the pipe, as drivers
	// and routers have it.
	base := fmt.Sprintf("rtt=%.1fms,rate=%.1fmbit,queue=%dp", rtt*1e3, j.Rate/1e6, int(max(bdp*between(0.5, 1.5)/1514, 30)))
	j.Without = scene{Path: base, Server: server, File: whole}
	j.Scene = j.Without
	s := &j.Scene
	switch j.Family {
	case "loss":
		s.Path += fmt.Sprintf(",down.loss=%.3f%%", between(0.05, 2))
		j.Cause = finding.LossLimited
	case "limit_rate":
		s.Server, j.Without.Server = "nginx", "nginx"
		s.Limit = fmt.Sprintf("limit_rate %.0f;", j.Rate/8*between(0.05, 0.5))
		j.Cause = finding.AppLimited
	case "paced program":
		s.Server, s.Limit = "pace", fmt.Sprintf("%.0f %.3f", j.Rate/8*between(0.05, 0.5), between(0.005, 1))
		j.Cause = finding.AppLimited
	case "send buffer":
		s.Far = fmt.Sprintf("net.ipv4.tcp_wmem=4096 16384 %d", int(max(bdp*between(0.15, 0.8), 16<<10)))
		j.Cause = finding.SendBuffer
	case "receive buffer":
		s.Near = fmt.Sprintf("net.ipv4.tcp_rmem=4096 16384 %d", int(max(bdp*between(0.15, 1), 16<<10)))
		j.Cause = finding.ReceiveWindow
	case "policer":
		j.Without.Path = base
		s.Path = fmt.Sprintf("rtt=%.1fms,rate=%.1fmbit,down.policer=%.1fmbit:%dKiB", rtt*1e3, j.Rate/1e6*between(1.6, 10), j.Rate/1e6, int(between(10, 300)))
		j.Cause = finding.Policed
	case "deep queue":
		s.Path = fmt.Sprintf("rtt=%.1fms,rate=%.1fmbit,queue=%dKiB", rtt*1e3, j.Rate/1e6, int(max(j.Rate/8*between(0.15, 1), 2*bdp)/1024))
		j.Cause = finding.Bufferbloat
	case "cross traffic":
		s.Path += fmt.Sprintf(",cross=%dxcubic", 1+r.IntN(4))
		j.Cause = finding.Congested
	case "reordering":
		s.Path += fmt.Sprintf(",down.jitter=%.2fms,down.order=free", rtt*1e3*between(0.03, 0.2))
		j.Cause = finding.Reordering
	case "short file":
		s.File = fmt.Sprintf("%d", int(between(50e3, 2*bdp+400e3)))
		j.Cause = finding.SlowStart
	case "short queue":
		s.Path = fmt.Sprintf("rtt=%.1fms,rate=%.1fmbit,queue=%dp", rtt*1e3, j.Rate/1e6, int(max(bdp*between(0.01, 0.12)/1514, 4)))
		j.Cause = finding.ShallowBuffer
	}
	return j
}
