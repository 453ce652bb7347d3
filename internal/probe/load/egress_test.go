package load

import (
	"testing"
	"time"

	"unchoke/internal/linux/device"
)

// What left the host in a short part of a test is told by the readings around it, which
// are hardly ever taken at its very begin and end.
func TestEgressBetweenReadings(t *testing.T) {
	q := queue{device: 2, parent: device.Root}
	start := time.Unix(1000, 0)
	e := &Egress{names: map[int]string{2: "eth0"}, origin: start}
	for i := range int64(9) { // one every 150 ms, 1000 packets a second
		e.looks = append(e.looks, reading{at: time.Duration(i) * 150 * time.Millisecond, stats: map[queue]device.Stats{
			q: {Bytes: 150_000 * i, Packets: 150 * i, Drops: 15 * i, Overlimits: 30 * i, Backlog: 10 * i},
		}})
	}
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	for name, c := range map[string]struct {
		from, to                int
		packets, drops, backlog int64
	}{
		"between readings":       {200, 550, 350, 35, 40},
		"within one interval":    {310, 440, 130, 13, 30},
		"begun before the first": {-90, 300, 300, 30, 30},
		"over after the last":    {1000, 1500, 200, 20, 80},
	} {
		t.Run(name, func(t *testing.T) {
			all := e.Use(at(c.from), at(c.to))
			if len(all) != 1 {
				t.Fatalf("%d queues", len(all))
			}
			u := all[0]
			if u.Device != "eth0" || !u.Root || u.Packets != c.packets || u.Bytes != 1000*c.packets || u.Drops != c.drops || u.Backlog != c.backlog {
				t.Errorf("%+v", u)
			}
		})
	}
	if all := e.Use(at(2000), at(3000)); len(all) != 0 {
		t.Errorf("after the last reading: %+v", all)
	}
}
