package draw

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"unchoke/internal/path"
)

// Written is a list of paths that somebody wrote down instead of drawing them by
// chance: a network of one's own, or what one wants to know the verdict on. As a
// document it is a JSON list of
//
//	{"name": "train", "about": "a modem on a train, cells of a minute",
//	 "clean": {"path": {"rtt": "48ms", "up.rate": "12mbit", "down.rate": "60mbit"}},
//	 "impairments": [
//	   {"name": "random-loss", "directions": ["down"], "path": {"down.loss": "0.2%"}}]}
//
// where path has the words of the path language, near_sysctl and far_sysctl beside
// it those of the hosts, an empty word takes one of the clean path away, and an
// impairment is a row of Words.
type Written []struct {
	Name        string   `json:"name"`
	About       string   `json:"about"`
	Clean       settings `json:"clean"`
	Impairments []struct {
		Name       string               `json:"name"`
		Directions []Direction          `json:"directions"`
		As         map[Direction]string `json:"as"`
		settings
	} `json:"impairments"`
}

// settings are words of a path and sysctls of its hosts.
type settings struct {
	Path       map[string]string `json:"path"`
	NearSysctl map[string]string `json:"near_sysctl"`
	FarSysctl  map[string]string `json:"far_sysctl"`
}

func (s settings) apply(b *builder) {
	for key, value := range s.Path {
		b.set(key, value)
	}
	maps.Copy(b.near, s.NearSysctl)
	maps.Copy(b.far, s.FarSysctl)
}

func (s settings) check() error {
	for key := range s.Path {
		if !slices.Contains(path.Keys(), key) {
			return fmt.Errorf("%q is no word of the path language", key)
		}
	}
	return nil
}

// ReadWritten reads such a document.
func ReadWritten(r io.Reader) (Written, error) {
	var w Written
	in := json.NewDecoder(r)
	in.DisallowUnknownFields()
	if err := in.Decode(&w); err != nil {
		return nil, fmt.Errorf("read a list of paths: %w", err)
	}
	return w, nil
}

// Draws are its paths with what can be taken away of each. The seed is of the lab's
// chance alone.
func (w Written) Draws(seed uint64) ([]Draw, error) {
	var out []Draw
	for i := range w {
		d, err := w.draw(seed, i)
		if err != nil {
			return nil, fmt.Errorf("path %d, %q: %w", i, w[i].Name, err)
		}
		out = append(out, d)
	}
	return out, nil
}

func (w Written) draw(seed uint64, i int) (Draw, error) {
	it := w[i]
	if err := it.Clean.check(); err != nil {
		return Draw{}, err
	}
	clean := newBuilder()
	it.Clean.apply(clean)
	l, err := linkOf(clean.path())
	if err != nil {
		return Draw{}, err
	}
	d := Draw{Hand: "written", Seed: seed, Index: i, Family: "clean", Link: it.Name}
	d.Lab = 1 + rand.New(rand.NewPCG(seed, uint64(i))).Uint64()%1_000_000
	var impairments []impairment
	var families []string
	for _, x := range it.Impairments {
		if err := x.check(); err != nil {
			return Draw{}, fmt.Errorf("%s: %w", x.Name, err)
		}
		if _, known := Words[x.Name]; !known {
			return Draw{}, fmt.Errorf("%q is no impairment that is known", x.Name)
		}
		families = append(families, x.Name)
		parts, together := partsOf(x.settings, &l)
		impairments = append(impairments, impairment{
			name: x.Name, slows: x.Directions, as: x.As, apply: x.apply,
			parts: parts, together: together, scheduled: x.Path["schedule"] != "",
		})
	}
	if len(families) > 0 {
		d.Family = strings.Join(families, "+")
	}
	d.compose(l, it.Clean.apply, impairments)
	whole, err := linkOf(d.Scene.Path)
	if err != nil {
		return Draw{}, err
	}
	for _, way := range Both {
		d.Ceiling[way] = min(d.Ceiling[way], whole.rate(way))
	}
	return d, nil
}

// partsOf are the parts of a delay that varies or steps. What else changes with time,
// others who come and go for instance, has none.
func partsOf(s settings, l *link) (parts, together []part) {
	varies := slices.ContainsFunc([]string{"jitter", "up.jitter", "down.jitter"}, func(k string) bool { return s.Path[k] != "" })
	steps := strings.Contains(s.Path["schedule"], "rtt=") || strings.Contains(s.Path["schedule"], "jitter=")
	if !varies && !steps {
		return nil, nil
	}
	parts = calmer(s.apply, l)
	if slices.ContainsFunc([]string{"order", "up.order", "down.order"}, func(k string) bool { return s.Path[k] == "free" }) {
		kept := func(b *builder) {
			s.apply(b)
			for _, key := range []string{"order", "up.order", "down.order"} {
				if b.words[key] == "free" {
					b.set(key, "keep")
				}
			}
		}
		parts = append([]part{{"overtaking", kept}}, parts...)
		together = ordered(kept, l)
	}
	return parts, together
}

// linkOf reads the figures of a link off a path, whose rates are those that pass in
// the end.
func linkOf(text string) (link, error) {
	p, err := path.Parse(text)
	if err != nil {
		return link{}, err
	}
	l := link{rtt: p.RTT().Seconds(), up: passes(p.Up), down: passes(p.Down)}
	if l.up == 0 || l.down == 0 {
		return link{}, fmt.Errorf("%q: a rate is missing, which tells what the path can carry", text)
	}
	l.queue = max(float64(p.QueueBytes(p.Up))*8/l.up, float64(p.QueueBytes(p.Down))*8/l.down)
	return l, nil
}

// passes is what a direction lets pass in bit/s, 0 without a limit.
func passes(d path.Direction) float64 {
	out := float64(d.Rate)
	for _, limit := range []float64{float64(d.Policer.Rate), float64(d.SQM.Rate)} {
		if limit > 0 && (out == 0 || limit < out) {
			out = limit
		}
	}
	return out
}
