package draw

import (
	"fmt"
	"math/rand/v2"
)

// calmer are the two ways in which a delay that varies can slow a stream down
// though no packet overtakes another: the stream leaves slow start at the
// first rise of its RTT (HyStart), or packets that were held up arrive at once
// and overflow the queue.
func calmer(jitter func(*builder), l *link) []part {
	return []part{
		{"early-exit", func(b *builder) { jitter(b); b.setup = append(b.setup, NoHyStart) }},
		{"bunching", func(b *builder) {
			jitter(b)
			for _, d := range Both {
				b.setIn([]Direction{d}, "queue", sizeText(l.rate(d)/8*l.rtt+4*l.queueBytes(d, 1)))
			}
		}},
	}
}

// NoHyStart is a shell command that makes CUBIC stay in slow start until it
// loses something, on both hosts.
const NoHyStart = "echo 0 > /sys/module/tcp_cubic/parameters/hystart"

// ordered are the pairs of parts of a delay that varies while packets overtake each
// other: with the order kept they come in bunches instead, so that keeping it may help
// only beside a deeper queue, or a slow start that does not end at the first rise of the
// RTT.
func ordered(kept func(*builder), l *link) []part {
	pairs := calmer(kept, l)
	for i, p := range pairs {
		pairs[i].name = "overtaking with " + p.name
	}
	return pairs
}

// disordered is a delay that varies while packets overtake each other, and how it is
// where they keep their order.
func disordered(free, kept func(*builder), l *link) impairment {
	return impairment{
		name: "varying-delay", slows: Both, apply: free,
		parts:    append([]part{{"overtaking", kept}}, calmer(free, l)...),
		together: ordered(kept, l),
	}
}

// keptJitter: delay that varies while packets keep their order, as radio that
// sends again and again does.
func keptJitter(r *rand.Rand, l *link) ([]impairment, bool) {
	sigma := timeText(max(l.rtt*between(r, 0.08, 0.45), 0.0005))
	dist := pick(r, "paretonormal", "paretonormal", "normal", "pareto")
	apply := func(b *builder) {
		b.set("jitter", sigma)
		b.set("dist", dist)
		b.set("order", "keep")
	}
	return []impairment{{name: "varying-delay", slows: Both, apply: apply, parts: calmer(apply, l)}}, true
}

// overtaking: packets take several ways of different length, or netem's own
// jitter. Every second path keeps its order in one direction.
func overtaking(r *rand.Rand, l *link) ([]impairment, bool) {
	if l.bdp(Down) < 30*1514 && chance(r, 0.7) {
		return nil, false // so few packets in flight seldom overtake each other
	}
	sigma := timeText(max(l.rtt*between(r, 0.04, 0.35), 0.0005))
	dist := pick(r, "normal", "normal", "paretonormal", "uniform")
	in := pick(r, Both, Both, []Direction{Up}, []Direction{Down})
	jitter := func(b *builder, order string) {
		b.setIn(in, "jitter", sigma)
		b.setIn(in, "dist", dist)
		b.setIn(in, "order", order)
	}
	free, kept := func(b *builder) { jitter(b, "free") }, func(b *builder) { jitter(b, "keep") }
	return []impairment{disordered(free, kept, l)}, true
}

// handover: Starlink assigns satellites every 15 s (Mohan et al., "A
// Multifaceted Look at Starlink Performance", 2024): a short rise of the delay
// with some loss. Cells of mobile networks hand over at other times.
func handover(r *rand.Rand, l *link) ([]impairment, bool) {
	every := 15.0
	if l.kind != "starlink" {
		every = between(r, 6, 25)
	}
	text := fmt.Sprintf("every %s for %s rtt=+%s", timeText(every), timeText(between(r, 0.08, 0.6)), timeText(between(r, 0.02, 0.15)))
	lossy := ""
	if chance(r, 0.6) {
		lossy = " loss=" + shareText(between(r, 0.01, 0.5))
	}
	order := pick(r, "keep", "keep", "free")
	apply := func(loss, order string) func(*builder) {
		return func(b *builder) {
			b.set("schedule", text+loss)
			b.set("order", order)
		}
	}
	x := impairment{name: "handover", slows: Both, scheduled: true, apply: apply(lossy, order)}
	if order == "free" {
		kept := apply(lossy, "keep")
		x.parts = append(x.parts, part{"overtaking", kept})
		x.together = ordered(kept, l)
	}
	if lossy != "" {
		x.parts = append(x.parts, part{"handover-loss", apply("", order)})
	}
	x.parts = append(x.parts, calmer(apply(lossy, order), l)...)
	return []impairment{x}, true
}

// rateSteps: a radio scheduler that gives more for a while and then less. The
// mean is the link's rate, which it has all the time without them.
func rateSteps(r *rand.Rand, l *link) ([]impairment, bool) {
	every, share, high := between(r, 2, 16), between(r, 0.2, 0.6), between(r, 1.1, 1.6)
	low := (1 - high*(1-share)) / share
	if low < 0.15 {
		return nil, false
	}
	schedule := fmt.Sprintf("every %s for %s up.rate=%s down.rate=%s", timeText(every), timeText(every*share), rateText(low*l.up), rateText(low*l.down))
	apply := func(b *builder) {
		b.set("up.rate", rateText(high*l.up))
		b.set("down.rate", rateText(high*l.down))
		b.set("schedule", schedule)
	}
	return []impairment{{name: "rate-steps", slows: Both, scheduled: true, apply: apply, parts: calmer(apply, l)}}, true
}
