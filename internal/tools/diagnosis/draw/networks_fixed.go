package draw

import "math/rand/v2"

// fixedNetworks are lines to homes over copper, coax and fibre.
var fixedNetworks = []network{
	{
		name: "cable", share: 11, // DOCSIS 3.0 and 3.1 with a low split
		line: func(r *rand.Rand) homeLine {
			return homeLine{
				rtt: between(r, 12, 45), down: provisioned(r, 50, 100, 100, 150, 200, 250), up: provisioned(r, 10, 20, 20, 35, 40, 50),
				tunnelled: 0.35, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{2, noise(0.02, 1, mostlyUp...)},          // ingress on the return path
			{1, unsteady(1, 5, upOnly)},               // request and grant
			{1, largePacketsVanish(1420, 1460, 1480)}, // DS-Lite, 6in4
			{1, udpLast(0.05, 0.6, mostlyUp...)},
			{5, modemBuffer(upOnly, 0.15, 2)}, // D3.0 modems without buffer control
			{3, managed(upOnly, "pie")},       // DOCSIS-PIE
			{2, thinUplink(0.5, 3, 0.1, 1)},   // upstream channels that do not bond
			{1, tariffPolicer(0.01, 0.5, 2, 5, Both)},
			{2, beside(Up, backup)},
			{1, beside(Down, evening)},
			{1, ownShaping(Up, 0.8, 0.95, "fq_codel")},
		},
	},
	{
		name: "dsl", share: 8, // ADSL2+ to VDSL2 with vectoring; interleaving is in the RTT
		line: func(r *rand.Rand) homeLine {
			down := provisioned(r, 6, 16, 16, 25, 50, 50, 100)
			return homeLine{
				rtt: between(r, 18, 60), down: down, up: max(down*between(r, 0.08, 0.4), 0.8),
				tunnelled: 0.35, mtus: []int{0, 1492, 1492}, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{3, copperNoise(span{0.3, 15}, span{4, 40})},
			{1, noise(0.02, 0.6, mostlyDown...)},
			{1, bonded(2, 12, downOnly, Both)}, // hybrid: DSL and LTE
			{3, largePacketsVanish(1492, 1492, 1484, 1460, 1420)},
			{3, modemBuffer(upOnly, 0.2, 3)},
			{2, driverBuffer},
			{1, modemBuffer(downOnly, 0.15, 0.8)}, // the BRAS shapes to the line
			{1, thinUplink(0.2, 0.8, 0.2, 2)},
			{2, beside(Up, backup)},
			{1, beside(Down, calls)},
		},
	},
	{
		name: "gpon", share: 9,
		line: func(r *rand.Rand) homeLine {
			down := provisioned(r, 50, 100, 100, 150, 200, 300)
			return homeLine{
				rtt: between(r, 4, 35), down: down, up: down * pick(r, 0.2, 0.5, 0.5, 1, 1),
				tunnelled: 0.35, mtus: []int{0, 0, 1492}, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{1, noise(0.005, 0.2, anyWay...)}, // a dirty connector
			{1, largePacketsVanish(1492, 1480, 1460)},
			{1, udpLast(0.1, 0.7, anyWay...)},
			{6, tariffPolicer(0.004, 0.4, 2, 8, anyWay...)}, // at the BNG
			{1, switchBuffer(10, 80, mostlyDown...)},
			{1, managed(Both, "fq_codel", "cake", "codel")},
			{1, ownShaping(Up, 0.85, 0.97, "fq_codel", "cake")},
			{1, beside(Up, backup)},
			{2, oldBuffer},
		},
	},
	{
		name: "home-sqm", share: 6, // a router with SQM at 80 to 95 % of the line
		line: func(r *rand.Rand) homeLine {
			share := between(r, 0.8, 0.95)
			return homeLine{
				rtt: between(r, 8, 50), down: share * provisioned(r, 25, 50, 100, 150, 250), up: share * provisioned(r, 5, 10, 20, 40, 50),
				tunnelled: 0.4, mtus: []int{0, 0, 1492}, bbrFar: 0.1,
			}
		},
		faults: []oddFault{
			{1, noise(0.02, 0.5, anyWay...)},
			{1, unsteady(1, 6, mostlyBoth...)},
			{3, managed(Both, "cake", "cake", "fq_codel")},
			{2, managed(upOnly, "cake", "fq_codel")},
			{4, ownShaping(Up, 0.8, 0.95, "cake", "fq_codel", "fq_codel", "tbf")},
			{1, beside(Up, backup)},
			{1, beside(Down, game)},
			{1, oldBuffer},
		},
	},
}
