package tunnels

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table.
var (
	clearRise   = 0.02
	tunnelShare = 0.93
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &clearRise, Name: "clear-rise", Why: "seconds: an RTT inside a tunnel that rises by more does not stand in the kernel's queue at this host's own card"},
	{At: &tunnelShare, Name: "tunnel-share", Why: "of the rate outside is payload inside: WireGuard's headers are 60 to 80 bytes of 1,500 (RFC 791, RFC 8200, WireGuard's transport message)"},
}
