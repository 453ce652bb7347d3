package network

import (
	"reflect"
	"testing"

	"unchoke/internal/linux/qdisc"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

func TestEgress(t *testing.T) {
	const (
		frame  = 1514
		bucket = 2 * frame // 100 µs of 10 Mbit/s are less
	)
	for spec, want := range map[string]shaper{
		"rtt=9ms": {root: qdisc.Stock("fq_codel")},
		"up.sqm=10mbit:fq_codel": {
			qdisc.HTB{Default: 1},
			&qdisc.HTBClass{Rate: 10 * unit.Mbit, Burst: bucket, Quantum: frame},
			qdisc.Stock("fq_codel"),
		},
		"up.sqm=10mbit:cake":      {root: qdisc.Cake{Bandwidth: 10 * unit.Mbit}},
		"up.sqm=10mbit:tbf:900ms": {root: qdisc.TBF{Rate: 10 * unit.Mbit, Burst: bucket, Limit: bucket + 1_125_000}},
	} {
		p, err := path.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := planEgress(p, p.Up.SQM); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: near's card has %+v, want %+v", spec, got, want)
		}
		if got, stock := planEgress(p, p.Down.SQM), (shaper{root: qdisc.Stock("fq_codel")}); got != stock {
			t.Errorf("%s: far's card has %+v, want %+v", spec, got, stock)
		}
	}
}
