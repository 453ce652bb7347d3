//go:build !slim

package amend

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
)

func TestKernelFaults(t *testing.T) {
	for kernel, want := range map[string]int{
		"6.18.1": 0, "7.0.0-rc3": 1, "7.1.4": 1, "7.1.5": 0, "7.2.0": 0, "6.6.44-1-lts": 1, "6.6.45": 0, "6.1.103": 1, "6.1.10": 0, "": 0, "odd": 0,
	} {
		v := &view.View{Run: &record.Run{}, Dir: record.Up, One: &record.Transfer{}}
		v.Run.Near.Kernel = kernel
		v.Run.Route.Tunnel.Carrier = record.Userspace
		v.Run.NICs = []record.NIC{{Device: "eth0", Use: record.OnUnderlay, Driver: "virtio_net"}}
		if got := len(kernelFaults(v)); got != want {
			t.Errorf("Linux %q: %d faults, want %d", kernel, got, want)
		}
		v.Run.Route.Tunnel.Carrier, v.Run.NICs = record.Kernel, nil
		if got := kernelFaults(v); len(got) != 0 {
			t.Errorf("Linux %q, a path that does not meet them: %v", kernel, got)
		}
	}
}
