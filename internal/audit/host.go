// Package audit finds the facts of this host that bear on a transfer: the
// kernel and its TCP settings, and the way that packets take to a target. It
// changes nothing and sends nothing.
package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"unchoke/internal/linux/cc"
	"unchoke/internal/linux/module"
	"unchoke/internal/linux/sysctl"
	"unchoke/internal/record"
)

// Host returns the facts of this host, in the calling thread's network
// namespace. Each warning is a fact that could not be read.
func Host() (record.Host, []string) {
	h := record.Host{
		OS:   runtime.GOOS,
		CPUs: runtime.NumCPU(),
		// Where nothing tells otherwise: every system has these two on by
		// default, and all but Windows the third.
		WindowScaling: true,
		SACK:          true,
		Timestamps:    runtime.GOOS != "windows",
	}
	h.Addresses = addresses()
	if runtime.GOOS != "linux" {
		release, err := kernelRelease()
		if err != nil {
			return h, []string{fmt.Sprintf("read the kernel's release: %v", err)}
		}
		h.Kernel = release
		warnings := systemSettings(&h)
		return h, warnings
	}
	warnings := readSysctls(&h, sysctl.Kernel)
	loadable, err := module.CongestionControls(h.Kernel)
	if err != nil {
		warnings = append(warnings, err.Error())
	}
	h.Loadable = slices.DeleteFunc(loadable, func(name string) bool {
		return slices.Contains(h.Available, name)
	})
	h.Container = Container(os.DirFS("/"))
	h.Forwards = forwards(sysctl.Kernel)
	return h, warnings
}

// readSysctls fills in what the kernel's parameters tell.
func readSysctls(h *record.Host, t sysctl.Tree) (warnings []string) {
	warn := func(err error) {
		if err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	var err error
	h.Kernel, err = t.String("kernel.osrelease")
	warn(err)
	h.CC, err = cc.Default(t)
	warn(err)
	h.Available, err = cc.Available(t)
	warn(err)
	h.Allowed, err = cc.Allowed(t)
	warn(err)
	h.TCPRmem, err = t.Triple("net.ipv4.tcp_rmem")
	warn(err)
	h.TCPWmem, err = t.Triple("net.ipv4.tcp_wmem")
	warn(err)

	// Some keys of the host's first network namespace are missing in others.
	h.Qdisc, err = t.String("net.core.default_qdisc")
	warn(unlessAbsent(err))
	h.RmemMax, err = t.Int("net.core.rmem_max")
	warn(unlessAbsent(err))
	h.WmemMax, err = t.Int("net.core.wmem_max")
	warn(unlessAbsent(err))

	for _, option := range []struct {
		key   string
		value *bool
	}{
		{"net.ipv4.tcp_window_scaling", &h.WindowScaling},
		{"net.ipv4.tcp_timestamps", &h.Timestamps},
		{"net.ipv4.tcp_sack", &h.SACK},
		{"net.ipv4.tcp_no_metrics_save", &h.NoMetricsSave},
	} {
		on, err := t.Bool(option.key)
		if err != nil {
			warn(err)
			continue
		}
		*option.value = on
	}
	moderate, err := t.Bool("net.ipv4.tcp_moderate_rcvbuf")
	warn(unlessAbsent(err))
	if err == nil && !moderate {
		h.Autotuning = "disabled"
	}
	probing, err := t.Int("net.ipv4.tcp_mtu_probing")
	warn(err)
	h.MTUProbing = int(probing)
	return warnings
}

func unlessAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// forwards says whether the host passes others' packets on.
func forwards(t sysctl.Tree) bool {
	for _, key := range []string{"net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"} {
		if on, err := t.Int(key); err == nil && on != 0 {
			return true
		}
	}
	return false
}
