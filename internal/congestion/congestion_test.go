package congestion

import (
	"os"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]struct{ loss, bbr bool }{
		"cubic": {loss: true}, "newreno": {loss: true}, "highspeed": {loss: true}, "dctcp": {loss: true},
		"bbr": {bbr: true}, "bbr3": {bbr: true}, "ledbat": {loss: true}, "": {},
	} {
		if LossBased(name) != want.loss || BBR(name) != want.bbr {
			t.Errorf("%q: loss-based %v, BBR %v", name, LossBased(name), BBR(name))
		}
	}
	if !LossBasedOrUnknown("") || LossBasedOrUnknown("bbr") {
		t.Error("an unknown one may take loss for congestion, BBR does not")
	}
}

// Whatever this host's kernel offers is known.
func TestKernelsOwn(t *testing.T) {
	names, err := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
	if err != nil {
		t.Skip("no Linux: ", err)
	}
	for name := range strings.FieldsSeq(string(names)) {
		if LossBased(name) == BBR(name) {
			t.Errorf("%s: how does it answer to a loss?", name)
		}
	}
}
