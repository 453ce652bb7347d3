//go:build slim

package probe

import (
	"unchoke/internal/record"
	"unchoke/iperf3"
)

// byCubic is nothing: what it tells is for copies of the path, which this build lacks.
func (*checker) byCubic() []step { return nil }

// slots are not looked for by the build for routers.
func slots([]iperf3.Packet) *record.Slots { return nil }
