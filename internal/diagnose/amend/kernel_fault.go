//go:build !slim

package amend

import (
	"fmt"
	"slices"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// fault is a known one of kernels that makes streams slow.
type fault struct {
	what  string
	fixed string // where it is
	// in says whether a release has it: major, minor and patch.
	in func(major, minor, patch int) bool
	// meets says whether a host's streams on this path meet it.
	meets func(view.End) bool
}

var faults = []fault{
	{
		// tailscale#19777, #21335: 2.2 Mbit/s with it, 400 without.
		what:  "cuts UDP packets up wrongly (UDP GSO), which slows userspace tunnels down in one direction",
		fixed: "7.1.5",
		in: func(major, minor, patch int) bool {
			return major == 7 && (minor == 0 || minor == 1 && patch < 5)
		},
		meets: func(e view.End) bool { return e.Tunnel().Carrier == record.Userspace },
	},
	{
		// tailscale#13041.
		what:  "loses large packets on virtio network cards, so that a stream never has more than one segment under way",
		fixed: "6.1.104 and 6.6.45",
		in: func(major, minor, patch int) bool {
			return major == 6 && (minor == 1 && patch == 103 || minor == 6 && patch == 44)
		},
		meets: func(e view.End) bool {
			return slices.ContainsFunc(e.NICs, func(n record.NIC) bool { return n.Driver == "virtio_net" && n.Use != record.DefaultRoute })
		},
	},
}

// kernelFaults are remedies for what is known to be wrong with the hosts'
// kernels where the stream meets it.
func kernelFaults(v *view.View) []finding.Remedy {
	var out []finding.Remedy
	for _, e := range v.Ends() {
		r, known := seen.Release(e.Facts.Kernel)
		if !known {
			continue
		}
		for _, f := range faults {
			if f.in(r[0], r[1], r[2]) && f.meets(e) {
				out = append(out, finding.Remedy{
					What:  fmt.Sprintf("Linux %s %s. It is fixed in %s: update the kernel of %s before anything else.", e.Facts.Kernel, f.what, f.fixed, e.Words),
					Where: e.Where, Host: e.Host,
				})
			}
		}
	}
	return out
}

// withFaults puts what is known to be wrong with the hosts' kernels before all
// other remedies of a stream that is slow: its faults look like causes of the
// path's.
func withFaults(v *view.View, f finding.Finding) finding.Finding {
	if f.Cause != finding.Healthy {
		f.Remedies = append(kernelFaults(v), f.Remedies...)
	}
	return f
}
