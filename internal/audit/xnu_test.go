package audit

import (
	"io/fs"
	"testing"

	"unchoke/internal/record"
)

// macOS's values as its documentation and users' listings show them; no host of
// our own told them.
func TestXNUSettings(t *testing.T) {
	values := map[string]uint32{
		"net.inet.tcp.use_newreno": 0, "net.inet.tcp.sack": 1, "net.inet.tcp.rfc1323": 1, "kern.ipc.maxsockbuf": 8 << 20,
		"net.inet.tcp.recvspace": 128 << 10, "net.inet.tcp.autorcvbufmax": 4 << 20, "net.inet.tcp.doautorcvbuf": 1,
		"net.inet.tcp.sendspace": 128 << 10, "net.inet.tcp.autosndbufmax": 4 << 20, "net.inet.tcp.doautosndbuf": 0,
	}
	sysctl := func(key string) (uint32, error) {
		v, ok := values[key]
		if !ok {
			return 0, fs.ErrNotExist
		}
		return v, nil
	}
	var h record.Host
	if warnings := xnuSettings(&h, sysctl); len(warnings) > 0 || h.CC != "cubic" || !h.SACK || !h.WindowScaling || h.Autotuning != "normal" ||
		h.TCPRmem != [3]int64{128 << 10, 128 << 10, 4 << 20} || h.TCPWmem != [3]int64{128 << 10, 128 << 10, 128 << 10} || h.RmemMax != 8<<20 {
		t.Errorf("%+v, %q", h, warnings)
	}
	values["net.inet.tcp.use_newreno"] = 1
	values["net.inet.tcp.doautorcvbuf"] = 0
	delete(values, "net.inet.tcp.rfc1323")
	delete(values, "net.inet.tcp.sack")
	h = record.Host{WindowScaling: true, Timestamps: true}
	if warnings := xnuSettings(&h, sysctl); len(warnings) != 1 || h.CC != "newreno" || h.Autotuning != "disabled" || !h.WindowScaling || !h.Timestamps {
		t.Errorf("%+v, %q", h, warnings)
	}
}
