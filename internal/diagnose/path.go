package diagnose

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/diagnose/view"
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
	// Stream names the transfer of that one stream. Later ones may have carried less, for
	// what our own flood of UDP made an AQM do.
	Stream string `json:"-"`
}

// Way is a direction of the path; nil where it was not measured.
func (p Path) Way(d record.Direction) *Way {
	if d == record.Up {
		return p.Up
	}
	return p.Down
}

// MeasuredPath summarises the path of a record.
func MeasuredPath(r *record.Run) Path {
	if r.Flow != nil {
		return attachedPath(r)
	}
	idle := seen.Spread(r.Echo("idle"))
	out := Path{Tunnel: r.Route.Tunnel.Brief()}
	if out.Tunnel.Kind == "" {
		out.Tunnel.Kind = string(path.NoTunnel)
	}
	for _, d := range record.Directions {
		v := view.Of(r, d)
		if v == nil {
			continue
		}
		idle = idle.Or(v.Idle)
		w := &Way{Rate: v.Rate, Capacity: v.Capacity, Stream: v.One.Name, Reorder: v.Strays.Mean(), LoadedRTT: v.Loaded.Mid}
		w.Loss = v.PathLoss()
		if h := seen.HoleIn(r, d); h != nil {
			w.Rate, w.MTU = h.Still.SteadyRate, h.MTU
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
		h := seen.HoleIn(r, d)
		if h == nil {
			continue
		}
		size := h.MTU
		if r.Route.Tunnel.There() {
			size, _ = seen.EchoSizes(r, true).Largest()
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
