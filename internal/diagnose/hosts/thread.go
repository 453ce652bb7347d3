package hosts

import (
	"slices"
	"strings"
)

// carries says that a thread of the kernel's carries packets, by its name. Others work
// for disks and memory: md127_raid6, kswapd0, a kworker of kcryptd or btrfs.
func carries(thread string) bool {
	return slices.ContainsFunc(carriers, func(part string) bool { return strings.Contains(thread, part) })
}

// carriers are parts of such names, as the kernel's sources give them: softirqs
// (kernel/softirq.c), threaded NAPI (net/core/dev.c), a kworker of WireGuard
// (drivers/net/wireguard/device.c) or of OpenVPN's part in the kernel (ovpn-dco), and
// a radio card (drivers/net/wireless/mediatek/mt76). A card's threaded interrupt is
// not one: it runs softirqs, and they count as such (kernel/sched/cputime.c).
var carriers = []string{"ksoftirqd/", "napi/", "wg-crypt-", "ovpn-", "mt76-"}
