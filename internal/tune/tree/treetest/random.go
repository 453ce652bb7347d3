package treetest

import (
	"fmt"
	"math/rand/v2"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/linux/rtnl"
	"unchoke/internal/tune"
	"unchoke/internal/tune/tree"
)

// Defaults are values of default_qdisc.
var Defaults = []string{"pfifo_fast", "fq_codel", "fq"}

// Random is a message that anybody could send to a device whose tree this is, and
// default_qdisc meanwhile. The kernel takes most of them.
func Random(r *rand.Rand, have tune.QdiscValue, queues int) (m tree.Message, byDefault string) {
	byDefault = Defaults[r.IntN(len(Defaults))]
	if r.IntN(8) == 0 {
		return tree.Message{Delete: true}, byDefault
	}
	kinds := []string{"pfifo", "bfifo", "fq", "fq_codel", "fq_codel", "pfifo_fast", "no_such_kind"}
	m.Qdisc.Kind = kinds[r.IntN(len(kinds))]
	if r.IntN(4) > 0 && have.Kind == tune.MultiQueue {
		m.Parent = fmt.Sprintf("%s%x", have.Handle, r.IntN(queues+2))
		if r.IntN(12) == 0 {
			m.Parent = "7:1"
		}
	} else if queues > 1 && r.IntN(4) > 0 || r.IntN(20) == 0 {
		m.Qdisc.Kind = tune.MultiQueue
	}
	if r.IntN(3) > 0 {
		m.Qdisc.Handle = []string{"1:", "5:", "10:", "20:", "21:", "8002:"}[r.IntN(6)]
	}
	if r.IntN(2) == 0 {
		m.Qdisc.Options = randomOptions(r, m.Qdisc.Kind)
	}
	return m, byDefault
}

func randomOptions(r *rand.Rand, kind string) []byte {
	switch kind {
	case "pfifo", "bfifo":
		return rtnl.U32(nil, r.Uint32N(5000))
	case "fq":
		return qdisc.WithMaxRate(8 * r.Int64N(1e8))
	case "fq_codel":
		return attributes([2]uint32{codelTarget, 100 + r.Uint32N(1e5)}, [2]uint32{codelInterval, 1000 + r.Uint32N(1e6)})
	}
	return nil
}

// Wanted is a tree that a plan could want for a device.
func Wanted(r *rand.Rand, queues int) tune.QdiscValue {
	q := tune.QdiscValue{Kind: "fq"}
	switch {
	case r.IntN(4) == 0:
		q.MaxRate = 8 * (1 + r.Int64N(1e8))
	case queues > 1:
		q = tune.QdiscValue{Kind: tune.MultiQueue, Handle: "1:"}
		for i := range queues {
			q.Leaves = append(q.Leaves, tune.QdiscValue{Kind: "fq", Parent: fmt.Sprintf("1:%x", i+1)})
		}
	}
	return q
}
