package diagnose

import (
	"math"

	"unchoke/internal/flow"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// Path is what a record says of the path itself, whatever the cause.
type Path struct {
	RTT         float64       `json:"rtt_s"`
	Jitter      float64       `json:"jitter_s"`         // standard deviation of the RTT, idle
	JitterRatio float64       `json:"jitter_rtt_ratio"` // against the RTT
	Loss        float64       `json:"loss_ratio"`       // below the ceiling, the worse direction
	Reorder     float64       `json:"reorder_ratio"`    // of UDP packets, the worse direction
	Tunnel      record.Tunnel `json:"tunnel"`

	Down *Way `json:"down,omitempty"`
	Up   *Way `json:"up,omitempty"`

	// Lab is the path as text for `unchoke lab exec --path`, so that what was
	// measured can be had again: package twin fits it.
	Lab string `json:"lab,omitempty"`
}

// Way is one direction of the measured path.
type Way struct {
	Rate     float64 `json:"rate_bps"`     // one stream, steady
	Capacity float64 `json:"capacity_bps"` // the most that was seen to arrive
	Loss     float64 `json:"loss_ratio"`
	Reorder  float64 `json:"reorder_ratio"`
	// MTU is the largest packet that passes where larger ones vanish without a
	// word; 0 where none do.
	MTU       int     `json:"mtu_bytes,omitempty"`
	LoadedRTT float64 `json:"loaded_rtt_s"` // median, one stream running
}

// MeasuredPath summarises the path of a record.
func MeasuredPath(r *record.Run) Path {
	if r.Flow != nil {
		return attachedPath(r)
	}
	idle := flow.SpreadOf(rtts(r.Echo("idle"), 0, math.Inf(1)))
	out := Path{Tunnel: r.Route.Tunnel.Brief()}
	if out.Tunnel.Kind == "" {
		out.Tunnel.Kind = string(path.NoTunnel)
	}
	for _, d := range record.Directions {
		v := newView(r, d)
		if v == nil {
			continue
		}
		idle = idle.Or(v.idle)
		w := &Way{Rate: v.rate, Capacity: v.capacity, Reorder: v.strays.mean(), LoadedRTT: v.loaded.Mid}
		w.Loss = v.pathLoss()
		if h := holeIn(r, d); h != nil {
			w.Rate, w.MTU = h.still.SteadyRate, h.mtu
		}
		out.Loss, out.Reorder = max(out.Loss, w.Loss), max(out.Reorder, w.Reorder)
		if d == record.Up {
			out.Up = w
		} else {
			out.Down = w
		}
	}
	out.RTT, out.Jitter = idle.Mid, idle.Dev
	if idle.Mid > 0 {
		out.JitterRatio = idle.Dev / idle.Mid
	}
	return out
}

// Holes is the MTU of the path, outside a tunnel, on which large packets vanish,
// and in which directions they do: as far as the lab can have it.
func Holes(r *record.Run) (mtu int, up, down bool) {
	for _, d := range record.Directions {
		h := holeIn(r, d)
		if h == nil {
			continue
		}
		size := h.mtu
		if r.Route.Tunnel.There() {
			size, _ = echoSizes(r, true).Largest()
		}
		if size < path.MinMTU || size >= path.DefaultMTU {
			continue
		}
		if mtu == 0 || size < mtu {
			mtu = size
		}
		up, down = up || d == record.Up, down || d == record.Down
	}
	return mtu, up, down
}

// wirePerGoodput: 1514 bytes of frame carry 1448 of payload.
const wirePerGoodput = 1514.0 / 1448.0

// pathLoss is the loss below the ceiling: UDP's, or the stream's own where it
// did not itself fill the path.
func (v *view) pathLoss() float64 {
	switch {
	case v.base.n > 0:
		return v.base.mean()
	case v.queued():
		return 0
	}
	return v.losses.RealRatio()
}
