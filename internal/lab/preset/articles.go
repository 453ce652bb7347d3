package preset

import "time"

var cellular = Preset{
	Name:  "cellular",
	About: "a phone on a mesh VPN; little loss on a short, fast path",
	// The sender is the far host: a video server at home.
	Path:      "rtt=10ms,down.loss=0.03%,rate=300mbit,tunnel=wireguard",
	Direction: "down",
	Arms:      []string{"cc=cubic", "cc=bbr"},
	Duration:  5 * time.Second, Omit: 1 * time.Second,
	Claim: Claim{
		Source: "a note on Jellyfin over Tailscale",
		Said:   "“Interleaved A/B over cellular (alternating back-to-back on the same path)”: cubic 80, 87, 80, bbr 269, 248, 253 Mbit/s; “~3x, repeatable”",
		Arms: []Figure{
			{Rate: between(80*mbps, 87*mbps)},
			{Rate: between(248*mbps, 269*mbps), Ratio: exactly(3)},
		},
	},
	Assumed: []string{
		"rate: the fastest run was 269 Mbit/s of payload, which is 294 on the wire below WireGuard's 60 and Ethernet's 14 bytes a packet",
		"rtt and loss: the source says “low-latency” and “a fraction of a percent”. With an RTT of 10 ms, the least that cellular has, cubic's 82 Mbit/s need 0.027 % of loss by the bound W = √(1.5/p) that RFC 9438 §4.3 sets it; a longer RTT needs even less loss. So cubic's rate is in the path, and the test is bbr's",
	},
}

var crossBorder = Preset{
	Name:      "cross-border",
	About:     "a page from a VPS across an ocean; 10 % of the pings are lost",
	Path:      "rtt=167ms,jitter=0.3ms,loss=5.13%,rate=100mbit",
	Direction: "down",
	Arms:      []string{"cc=cubic", "cc=bbr"},
	Duration:  5 * time.Second,
	Claim: Claim{
		Source: "“Cross-Border VPS Feels Glacial?”, 2 July 2026",
		Said:   "a page of 2.3 MB over three paths: 24, 28, 29 KB/s with cubic, 500–1000 KB/s with bbr; “15–24× throughput”",
		Arms: []Figure{
			{Rate: between(24*kBps, 29*kBps)},
			{Rate: between(500*kBps, 1000*kBps), Ratio: between(15, 24)},
		},
	},
	Assumed: []string{
		"loss: ping lost 3 of 30 there and back; as much on both ways is 1 − √0.9 = 5.13 % each",
		"jitter: ping's mdev of 0.457 ms is that of both ways together, 0.3 ms each",
		"rate: not told; a residential line of 100 Mbit/s, which no arm reaches",
		"duration: the source timed a page, 2.3 to 4.6 s with bbr and 79 to 90 s with cubic, slow start included",
	},
}

var policedPOP = Preset{
	Name:  "policed-pop",
	About: "two points of presence over GRE; a policer on the sender's uplink",
	// The sender, POP-A, is the far host.
	Path:      "rtt=30ms,down.policer=920mbit:115KB,tunnel=ip6gre",
	Direction: "down",
	// Of POP-A after its tuning.
	FarSysctl: []string{"net.ipv4.tcp_rmem=4096 131072 33554432", "net.ipv4.tcp_wmem=4096 32768 33554432"},
	Arms:      []string{"cc=cubic", "cc=bbr", "cc=bbr,streams=4"},
	Duration:  10 * time.Second,
	Claim: Claim{
		Source: "“TCP Tuning on a Lossy Backbone”, May 2026",
		Said:   "iperf3 over ip6gre from POP-A to POP-B: cubic 120 Mbit/s in 10 s, bbr 644 in 15 s with 84,400 retransmits, bbr with 4 streams 790; “that profile matches a policer”",
		Arms: []Figure{
			{Rate: exactly(120 * mbps)},
			{Rate: exactly(644 * mbps)},
			{Rate: exactly(790 * mbps)},
		},
	},
	Assumed: []string{
		"policer's rate: not the 640 Mbit/s at which the source's UDP levels off, since its own 4 streams carry 790. Its UDP lost a like share, 7.4 to 9.4 %, of 400, 695 and 691 Mbit/s sent, which is what a policer of some 0.92 of a 1 Gbit/s line does to bursts at line rate; and 790 of payload are 866 on the wire",
		"policer's burst: UDP at 400 Mbit/s lost 9.4 %, far below that rate, so the bucket is small: one millisecond of the rate, which is as much as iperf3 and the kernel's pacing send at once",
		"buffers: POP-A's as the source had them with bbr, for all arms, since its 208 KB of wmem_max bind no autotuned socket; POP-B's tcp_rmem is not told and the kernel's own",
	},
}

var campus = Preset{
	Name:      "campus",
	About:     "campus to home over NetBird on OpenWrt; a cap near 94 Mbit/s",
	Path:      "rtt=24ms,down.policer=94mbit:117500B,tunnel=wireguard",
	Direction: "down",
	Arms:      []string{"cc=cubic", "cc=bbr"},
	Duration:  10 * time.Second,
	Claim: Claim{
		Source: "“BBR解决OpenWRT下Wireguard组网中TCP速率问题”, 13 November 2025",
		Said:   "iperf3 over NetBird: cubic 37.8 Mbit/s with 40 retransmits, bbr 85.8 with 7546; UDP at 100 Mbit/s arrived with 86.6, 13 % lost",
		Arms: []Figure{
			{Rate: exactly(37.8 * mbps)},
			{Rate: exactly(85.8 * mbps)},
		},
	},
	Assumed: []string{
		"policer: the source blames jitter, which it did not measure. That bbr and UDP both end at 86 to 87 Mbit/s and lose a tenth says a cap without a queue; 86.6 of UDP in datagrams of 1228 bytes are 94 on the wire",
		"policer's burst: not told; 10 ms of the rate, the least with which a Linux shaper that ticks at 100 Hz reaches its rate (tc-tbf(8))",
		"rtt: “about 24 ms”; its jitter left out, since no figure is given",
	},
}

var starlink = Preset{
	Name:      "starlink-baseline",
	About:     "the jitter-cliff study's Starlink profile: jitter that reorders",
	Path:      "rtt=27ms,jitter=7ms,order=free,loss=0.125%",
	Direction: "down",
	// SO_RCVBUF 262144, which the kernel doubles.
	NearSysctl: []string{"net.ipv4.tcp_rmem=4096 524288 524288"},
	Arms:       []string{"cc=cubic", "cc=bbr"},
	Duration:   15 * time.Second,
	Claim: Claim{
		Source: "“The Jitter Cliff: When TCP Goes Chaotic”",
		Said:   "“Baseline | 27ms | ±7ms | 0.125%”: cubic 2.3, bbr 7.3 Mbps, 3.1×; a receive buffer of 256 KB",
		Arms: []Figure{
			{Rate: exactly(2.3e3 * 1024)},
			{Rate: exactly(7.3e3 * 1024), Ratio: exactly(3.1)},
		},
	},
	Assumed: []string{
		"order: free, since netem's jitter without a rate lets packets overtake",
		"sender: as fast as TCP takes it, where the study's wrote 5 or 10 MiB/s; at these rates neither binds",
	},
}

var chaos = Preset{
	Name:      "chaos-zone",
	About:     "the jitter-cliff study at 50 ms and 10 ms of jitter: no run like the other",
	Path:      "rtt=50ms,jitter=10ms,order=free",
	Direction: "down",
	// SO_RCVBUF 262144, which the kernel doubles.
	NearSysctl: []string{"net.ipv4.tcp_rmem=4096 524288 524288"},
	Arms:       []string{"cc=cubic", "cc=bbr"},
	Duration:   10 * time.Second,
	Claim: Claim{
		Source: "“The Jitter Cliff: When TCP Goes Chaotic”",
		Said:   "at 10 ms of jitter, 20 % of the RTT: cubic 2–33 Mbps, mean 12, CV 66 %; bbr 4–9, mean 7, CV 18 %; a receive buffer of 256 KB",
		Arms: []Figure{
			{Rate: exactly(12e3 * 1024)},
			{Rate: exactly(7e3 * 1024)},
		},
	},
	Assumed: []string{
		"order: free, since netem's jitter without a rate lets packets overtake",
		"sender: as fast as TCP takes it, where the study's wrote 5 or 10 MiB/s",
	},
}

var cleanLAN = Preset{
	Name:      "clean-lan",
	About:     "a LAN without loss: nothing for bbr to gain",
	Path:      "rtt=500us,rate=100mbit,queue=128KiB",
	Direction: "down",
	Arms:      []string{"cc=cubic", "cc=bbr"},
	Duration:  5 * time.Second, Omit: 1 * time.Second,
	Claim: Claim{
		Source: "a note on Jellyfin over Tailscale",
		Said:   "“On a clean LAN path BBR shows no gain”",
		Arms:   []Figure{{}, {Ratio: exactly(1)}},
	},
	Assumed: []string{
		"rate, rtt and queue: not told; Fast Ethernet through one switch with 128 KiB for a port",
	},
}
