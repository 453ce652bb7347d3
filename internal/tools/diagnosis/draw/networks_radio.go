package draw

import "math/rand/v2"

// radioNetworks are those whose last mile is radio, on the ground and in orbit.
var radioNetworks = []network{
	{
		name: "cellular", share: 11, // LTE and 5G, phones that tether and routers
		line: func(r *rand.Rand) homeLine {
			down := pick(r, between(r, 4, 60), between(r, 20, 220))
			return homeLine{
				rtt: between(r, 22, 80), down: down, up: max(down*between(r, 0.1, 0.5), 1),
				tunnelled: 0.35, mtus: []int{0, 0, 1430, 1428}, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{2, unsteady(2, 18, mostlyBoth...)},
			{1, bonded(1, 8, downOnly, Both)}, // two carriers' packets in one tunnel
			{1, cellChange(span{8, 60}, span{60, 500}, span{20, 150}, span{0.005, 0.1})},
			{4, movingRate(span{0.5, 10}, Both, Both, downOnly)},
			{1, dropouts(span{12, 60}, span{200, 2500})},
			{1, noise(0.01, 0.3, anyWay...)},
			{2, udpLast(0.03, 0.5, Both, downOnly)},
			{1, largePacketsVanish(1400, 1420, 1428, 1430)},
			{5, modemBuffer(Both, 0.25, 3)},
			{1, modemBuffer(upOnly, 0.3, 4)},
			{2, tariffPolicer(0.02, 1, 2, 20, Both, downOnly)}, // once the allowance is used
			{1, thinUplink(0.3, 1.5, 0.2, 2)},
			{1, beside(Down, evening)},
		},
	},
	{
		name: "fixed-wireless", share: 6, // a WISP's sector, 60 GHz, 5G to a window
		line: func(r *rand.Rand) homeLine {
			down := provisioned(r, 10, 25, 25, 50, 100, 150)
			return homeLine{
				rtt: between(r, 14, 60), down: down, up: max(down*between(r, 0.1, 0.5), 1.5),
				tunnelled: 0.35, mtus: []int{0, 0, 1480, 1492}, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{3, unsteady(1.5, 15, mostlyBoth...)},
			{2, fades(0.03, 1.5, mostlyBoth...)},
			{2, movingRate(span{2, 15}, Both)},
			{1, dropouts(span{10, 60}, span{100, 1000})},
			{1, noise(0.02, 0.8, anyWay...)},
			{2, modemBuffer(Both, 0.2, 1.5)},
			{1, switchBuffer(8, 60, anyWay...)}, // a radio's small buffer
			{2, tariffPolicer(0.01, 0.5, 2, 8, Both)},
			{1, managed(downOnly, "cake", "fq_codel")},
			{2, beside(Down, evening)},
		},
	},
	{
		name: "starlink", share: 7,
		line: func(r *rand.Rand) homeLine {
			return homeLine{
				rtt: between(r, 25, 60), down: between(r, 50, 250), up: between(r, 8, 30),
				tunnelled: 0.35, bbrFar: 0.15,
			}
		},
		faults: []oddFault{
			{2, unsteady(2, 9, Both, downOnly)},
			{4, cellChange(span{15, 15}, span{60, 400}, span{15, 80}, span{0.005, 0.2})},
			{3, movingRate(span{3, 15}, Both, downOnly)},
			{1, dropouts(span{15, 45}, span{100, 2000})}, // behind a tree
			{3, noise(0.03, 0.8, mostlyBoth...)},
			{1, fades(0.03, 1, mostlyBoth...)},
			{2, modemBuffer(Both, 0.2, 0.8)},
			{1, beside(Down, evening)},
			{1, beside(Up, backup)},
		},
	},
	{
		name: "geostationary", share: 4,
		line: func(r *rand.Rand) homeLine {
			down := pick(r, 10.0, 15, 25, 50, 100)
			return homeLine{
				rtt: between(r, 560, 680), down: down, up: pick(r, 2.0, 3, 3, 5, 6),
				tunnelled: 0.4, bbrFar: 0.15, bbrNear: 0.05,
			}
		},
		faults: []oddFault{
			{2, unsteady(3, 20, mostlyBoth...)}, // frames of the return channel
			{3, noise(0.005, 0.5, mostlyBoth...)},
			{1, fades(0.02, 0.8, mostlyBoth...)}, // rain
			{1, movingRate(span{5, 20}, downOnly, Both)},
			{1, modemBuffer(Both, 1.3, 3)},
			{1, tariffPolicer(0.05, 1, 2, 5, Both)},
			{2, beside(Down, evening)},
			{2, oldBuffer},
		},
	},
}
