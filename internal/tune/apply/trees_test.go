package apply

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"unchoke/internal/tune"
	"unchoke/internal/tune/tree/treetest"
)

// treeHost is a generated host with one device of several queues, on which
// somebody was busy, and an order to change its tree: with the default or without.
func treeHost(n uint64) (*machine, func(*machine) Order) {
	r := seeded(n)
	m := generate(r)
	m.devices = map[string]*treetest.Device{"eth0": {Queues: 2 + r.IntN(2), Options: treetest.Stock}}
	dev := m.devices["eth0"]
	dev.Up(treetest.Defaults[r.IntN(3)])
	for range r.IntN(5) {
		msg, byDefault := treetest.Random(r, dev.Tree, dev.Queues)
		_ = dev.Send(msg, byDefault) // it may not take it
	}
	wanted := treetest.Wanted(r, dev.Queues)
	withDefault := r.IntN(2) == 0
	return m, func(m *machine) Order {
		var o Order
		if withDefault && m.sysctls[defaultQdisc] != "fq" {
			o.Changes = append(o.Changes, tune.Change{Kind: tune.Sysctl, Key: defaultQdisc, When: tune.Now, Old: new(m.sysctls[defaultQdisc]), New: new("fq")})
		}
		o.Changes = append(o.Changes, tune.Change{Kind: tune.Qdisc, Key: "eth0", When: tune.Now, Old: tune.Encode(m.devices["eth0"].Tree), New: tune.Encode(wanted)})
		return o
	}
}

// A tree takes several messages. Killed before any effect of making it or of
// taking it back, the next run knows it for its own and restores what there was;
// so does the one after that, where the next is killed as well.
func TestTreesKilledEverywhere(t *testing.T) {
	count := uint64(6)
	if testing.Short() {
		count = 2
	}
	seed := rand.Uint64()
	sample := rand.New(rand.NewPCG(seed, 2))
	kills, parts := 0, 0
	for n := range count {
		start := func() (*machine, Order) {
			m, order := treeHost(n)
			return m, order(m)
		}
		m, _ := start()
		before := m.all()
		for _, c := range crashes[:3] { // names are of no account here
			never, _ := start()
			never.boot()
			want := after{before: before, booted: never.all()}
			m, order := start()
			if _, err := m.tuner().Apply(t.Context(), order, yes); err != nil {
				t.Fatalf("tree %d: %v", n, err)
			}
			c.happen(m)
			want.made = m.all()
			for _, verb := range []string{"apply", "revert"} {
				for at, more := 1, true; more; at++ {
					first := func() *machine {
						m, order := start()
						m.tear = c.tear
						run := func() { _, _ = m.tuner().Apply(t.Context(), order, yes) }
						if verb == "revert" {
							run()
							run = func() { _, _ = m.tuner().Revert(t.Context(), Way{}) }
						}
						more = m.killed(at, run)
						c.happen(m)
						return m
					}
					m := first()
					if !more {
						break
					}
					kills++
					if s, err := m.tuner().State(); err == nil && len(s.Steps) > 0 && s.Steps[len(s.Steps)-1].Part != nil {
						parts++
					}
					where := fmt.Sprintf("tree %d, %s %s before effect %d", n, verb, c.name, at)
					m.effects = 0
					pending := recovered(t, m, where, c, want)
					recovering := m.effects
					for second := 1; !pending && !testing.Short(); second++ {
						if n > 0 && second < recovering && sample.IntN(8) > 0 {
							continue
						}
						m := first()
						if !m.killed(second, func() { _, _ = m.tuner().Recover(t.Context()) }) {
							break
						}
						kills++
						c.happen(m)
						recovered(t, m, fmt.Sprintf("%s, and recovering before its effect %d", where, second), c, want)
					}
				}
			}
		}
	}
	t.Logf("%d kills, %d of them within a tree, sampled by %d", kills, parts, seed)
	if parts < kills/50 {
		t.Errorf("%d of %d kills were within a tree", parts, kills)
	}
}

// A tree that cannot be made again as it is is not replaced.
func TestTreeThatCannotComeBack(t *testing.T) {
	m, order := treeHost(1)
	dev := m.devices["eth0"]
	dev.Up("fq_codel")
	dev.Tree.Leaves[1].Kind = "pfifo_fast" // a queue that came later
	before := m.all()
	if _, err := m.tuner().Apply(t.Context(), order(m), yes); !Refused(err) || m.all() != before {
		t.Errorf("%v", err)
	}
}

// What somebody made of a tree that a killed run left is theirs.
func TestTreeOfSomebody(t *testing.T) {
	for n := range uint64(20) {
		m, order := treeHost(n)
		o := order(m)
		for at := 1; m.killed(at, func() { _, _ = m.tuner().Apply(t.Context(), o, yes) }); at++ {
			s, err := m.tuner().State()
			if err == nil && len(s.Steps) > 0 && s.Steps[len(s.Steps)-1].Part != nil {
				msg, byDefault := treetest.Random(seeded(n), tune.QdiscValue{}, 1)
				msg.Delete, msg.Qdisc.Kind, msg.Qdisc.Handle = false, "pfifo", "99:"
				if err := m.devices["eth0"].Send(msg, byDefault); err != nil {
					t.Fatal(err)
				}
				theirs := *tune.Encode(m.devices["eth0"].Tree)
				undo, err := m.tuner().Recover(t.Context())
				if err != nil || undo == nil || len(undo.Left) != 1 || *tune.Encode(m.devices["eth0"].Tree) != theirs {
					t.Fatalf("tree %d, killed before effect %d: %+v, %v", n, at, undo, err)
				}
				break
			}
			m, order = treeHost(n)
			o = order(m)
		}
	}
}
