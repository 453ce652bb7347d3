package device

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Link is what a device tells of its link.
type Link struct {
	Speed    float64 // bit/s, as negotiated; 0 where it is not known
	Duplex   string  // full or half; empty where it is not known
	Wireless bool    // IEEE 802.11
}

// LinkOf reads a device's link from /sys/class/net, which devices is. A device
// without a carrier, or whose driver does not tell, has no speed.
func LinkOf(devices fs.FS, name string) Link {
	var l Link
	read := func(file string) string {
		b, err := fs.ReadFile(devices, path.Join(name, file))
		if err != nil {
			return "" // the kernel answers so where the driver does not tell
		}
		return strings.TrimSpace(string(b))
	}
	// SPEED_UNKNOWN of linux/ethtool.h reads as -1.
	if megabits, err := strconv.ParseInt(read("speed"), 10, 32); err == nil && megabits > 0 {
		l.Speed = float64(megabits) * 1e6
	}
	if d := read("duplex"); d == "full" || d == "half" {
		l.Duplex = d
	}
	for _, sign := range []string{"phy80211", "wireless"} {
		if _, err := fs.Stat(devices, path.Join(name, sign)); err == nil {
			l.Wireless = true
		}
	}
	return l
}
