package draw

import "slices"

// networks are those of the hand Homes: what people were connected to in 2026,
// each about as often as somebody asks why it is slow. Rates above some
// 300 Mbit/s are left out, since runs in the lab would take too long.
var networks = slices.Concat(fixedNetworks, sharedNetworks, radioNetworks, servedNetworks)

// Ways in which a fault comes: mostly one way or mostly both.
var (
	anyWay     = [][]Direction{Both, upOnly, downOnly}
	mostlyBoth = [][]Direction{Both, Both, Both, upOnly, downOnly}
	mostlyUp   = [][]Direction{upOnly, upOnly, Both}
	mostlyDown = [][]Direction{downOnly, downOnly, Both}
)
