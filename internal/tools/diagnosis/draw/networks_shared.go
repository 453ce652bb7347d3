package draw

import "math/rand/v2"

// sharedNetworks are those on which others are, and their Wi-Fi.
var sharedNetworks = []network{
	{
		name: "household", share: 9,
		line: func(r *rand.Rand) homeLine {
			return homeLine{
				rtt: between(r, 8, 50), down: provisioned(r, 16, 50, 50, 100, 200), up: provisioned(r, 5, 10, 20, 40),
				tunnelled: 0.35, mtus: []int{0, 0, 1492}, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{1, unsteady(1, 6, mostlyBoth...)},
			{3, video},
			{1, modemBuffer(upOnly, 0.2, 1.5)},
			{1, managed(Both, "fq_codel", "cake")},
			{4, beside(Up, backup)},
			{3, beside(Down, game)},
			{1, beside(Down, update)},
			{1, beside(Down, calls)},
			{1, beside(Up, calls)},
			{1, oldBuffer},
		},
	},
	{
		name: "mesh-wifi", share: 9, // a repeater or two before a line that is faster
		line: func(r *rand.Rand) homeLine {
			rate := between(r, 15, 200)
			return homeLine{
				rtt: between(r, 8, 45), down: rate, up: rate * between(r, 0.4, 1),
				tunnelled: 0.35, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{4, unsteady(1, 12, mostlyBoth...)},
			{1, bonded(0.5, 4, mostlyBoth...)},
			{3, fades(0.03, 1.5, mostlyBoth...)},
			{1, noise(0.02, 1, mostlyBoth...)},
			{3, movingRate(span{1, 12}, Both, Both, downOnly)},
			{1, dropouts(span{8, 60}, span{100, 1500})}, // a client that roams or scans
			{2, modemBuffer(Both, 0.15, 1)},
			{1, beside(Down, update)},
			{1, beside(Down, evening)},
			{1, frozenWindow},
		},
	},
	{
		name: "hotel", share: 5, // and airports, trains, student halls
		line: func(r *rand.Rand) homeLine {
			rate := pick(r, 2.0, 4, 5, 10, 10, 20, 25, 50)
			return homeLine{
				rtt: between(r, 12, 90), down: rate, up: rate * pick(r, 0.25, 0.5, 1, 1),
				tunnelled: 0.5, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{1, unsteady(2, 20, mostlyBoth...)},
			{2, fades(0.1, 2, mostlyBoth...)},
			{1, noise(0.1, 2, mostlyBoth...)},
			{1, dropouts(span{10, 60}, span{200, 2000})},
			{1, largePacketsVanish(1400, 1420, 1450, 1476)},
			{3, udpLast(0.05, 0.5, Both, Both, downOnly)},
			{6, tariffPolicer(0.01, 1.5, 2, 20, Both, Both, downOnly)}, // per user, at the gateway
			{2, modemBuffer(Both, 0.2, 1.5)},
			{2, beside(Down, evening)},
			{1, beside(Up, evening)},
		},
	},
}
