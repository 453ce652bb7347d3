package analysis

import "unchoke/internal/stats"

// Quality is what a throughput is enough for.
type Quality struct {
	Name string  `json:"name"`
	From float64 `json:"from_bps"`
}

// Qualities is the article's mapping for H.264: 2.5 Mbit/s for 480p, 5 Mbit/s
// for 720p. It calls 1.3 Mbit/s a choppy 360p and 0.5 Mbit/s unusable; the
// step between is put at 1 Mbit/s.
var Qualities = []Quality{{"unusable", 0}, {"360p", 1e6}, {"480p", 2.5e6}, {"720p", 5e6}}

func quality(rate float64) string {
	name := Qualities[0].Name
	for _, q := range Qualities {
		if rate >= q.From {
			name = q.Name
		}
	}
	return name
}

// Profile is a path with jitter and loss together, as a satellite link has
// them, and what video each arm carries over it.
type Profile struct {
	Contrast int  `json:"contrast"`
	Base     View `json:"base"`
	Other    View `json:"other"`
}

// View is the video quality that an arm's throughput is enough for: in the
// mean, and in the slowest tenth of the runs.
type View struct {
	Mean     string  `json:"mean"`
	Slowest  string  `json:"slowest_tenth"`
	SlowRate float64 `json:"slowest_tenth_bps"`
}

func profiles(all []Cell, list []Contrast) []Profile {
	out := []Profile{}
	for i, c := range list {
		if cell := &all[c.Other]; cell.Jitter > 0 && cell.Loss > 0 {
			out = append(out, Profile{i, view(&all[c.Base]), view(cell)})
		}
	}
	return out
}

func view(c *Cell) View {
	slow := stats.Quantile(rates(c.Runs), 0.1)
	return View{quality(c.Throughput.Mean), quality(slow), slow}
}
