package draw

import "math/rand/v2"

// servedNetworks are paths between servers, and from an office to one.
var servedNetworks = []network{
	{
		name: "vps", share: 8,
		line: func(r *rand.Rand) homeLine {
			rate := pick(r, 50.0, 100, 100, 200, 200, 250)
			return homeLine{
				rtt: pick(r, between(r, 8, 45), between(r, 80, 130)), down: rate, up: rate,
				tunnelled: 0.4, mtus: []int{0, 0, 0, 1450}, bbrFar: 0.3, bbrNear: 0.1,
			}
		},
		faults: []oddFault{
			{1, noise(0.01, 0.5, anyWay...)}, // an oversold uplink
			{1, largePacketsVanish(1400, 1450, 1460)},
			{2, udpLast(0.05, 0.5, mostlyBoth...)},
			{3, tariffPolicer(0.003, 0.2, 2, 10, mostlyDown...)},
			{4, ownShaping(Down, 0.1, 0.5, "fq_codel", "tbf", "tbf")}, // the provider's htb on egress
			{1, ownShaping(Up, 0.3, 0.95, "fq_codel", "cake", "tbf")},
			{2, switchBuffer(20, 200, anyWay...)},
			{1, beside(Down, evening)},
			{2, oldBuffer},
			{1, frozenWindow},
		},
	},
	{
		name: "ocean", share: 9,
		line: func(r *rand.Rand) homeLine {
			down := pick(r, 50.0, 100, 100, 150, 250)
			return homeLine{
				rtt: pick(r, between(r, 72, 115), between(r, 105, 190), between(r, 180, 290)), down: down, up: down * pick(r, 0.2, 0.5, 1, 1),
				tunnelled: 0.4, mtus: []int{0, 0, 0, 1492}, bbrFar: 0.25, bbrNear: 0.1,
			}
		},
		faults: []oddFault{
			{1, unsteady(0.5, 4, anyWay...)},
			{1, bonded(0.3, 3, anyWay...)}, // members of a link aggregate
			{6, noise(0.01, 1, mostlyBoth...)},
			{1, fades(0.01, 0.5, anyWay...)},
			{1, largePacketsVanish(1400, 1450, 1476, 1480)},
			{2, udpLast(0.05, 0.6, mostlyBoth...)},
			{3, switchBuffer(30, 400, anyWay...)},
			{2, tariffPolicer(0.003, 0.3, 2, 10, mostlyDown...)},
			{1, beside(Down, evening)}, // a peering that is full in the evening
			{3, oldBuffer},
			{1, frozenWindow},
			{1, withoutScaling},
		},
	},
	{
		name: "cross-connect", share: 3, // between racks and cities
		line: func(r *rand.Rand) homeLine {
			rate := pick(r, 100.0, 200, 250, 300)
			return homeLine{
				rtt: pick(r, between(r, 1, 3), between(r, 2, 20)), down: rate, up: rate,
				tunnelled: 0.3, bbrFar: 0.1, bbrNear: 0.1,
			}
		},
		faults: []oddFault{
			{2, noise(0.005, 0.5, anyWay...)}, // optics
			{1, bonded(0.1, 0.5, anyWay...)},
			{2, switchBuffer(8, 60, anyWay...)},
			{1, tariffPolicer(0.001, 0.05, 2, 3, Both)},
			{1, largePacketsVanish(1400, 1450, 1476)},
			{1, beside(Down, update)},
			{1, oldBuffer},
		},
	},
	{
		name: "branch-office", share: 5, // a leased or business line, and a firewall
		line: func(r *rand.Rand) homeLine {
			rate := provisioned(r, 10, 20, 50, 100, 100, 200)
			return homeLine{
				rtt: between(r, 8, 60), down: rate, up: rate * pick(r, 0.5, 1, 1),
				tunnelled: 0.5, mtus: []int{0, 0, 1492}, bbrFar: 0.1,
			}
		},
		faults: []oddFault{
			{1, noise(0.01, 0.3, anyWay...)},
			{2, largePacketsVanish(1400, 1438, 1476, 1492)},
			{1, udpLast(0.05, 0.5, mostlyBoth...)},
			{3, tariffPolicer(0.004, 0.3, 2, 10, mostlyBoth...)},
			{1, modemBuffer(Both, 0.15, 0.8)},
			{1, switchBuffer(10, 100, anyWay...)},
			{1, managed(Both, "fq_codel", "pie")},
			{2, beside(Down, evening)},
			{1, beside(Up, backup)},
			{1, oldBuffer},
			{1, withoutScaling},
		},
	},
}
