package record

import "testing"

func TestShortens(t *testing.T) {
	now := Predicted{Arm: Now, Direction: Up, RTT: 0.35, Gain: 1}
	for name, c := range map[string]struct {
		arm  Predicted
		want bool
	}{
		"a queue that stays empty": {Predicted{RTT: 0.024, Gain: 0.98}, true},
		"at a third of the rate":   {Predicted{RTT: 0.024, Gain: 0.3}, false},
		"a little":                 {Predicted{RTT: 0.2, Gain: 1}, false},
		"nobody measured it":       {Predicted{Gain: 1}, false},
	} {
		if got := c.arm.Shortens(now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (Predicted{RTT: 0.02, Gain: 1}).Shortens(Predicted{RTT: 0.06}) {
		t.Error("40 ms are a reason")
	}
}

func TestNowOf(t *testing.T) {
	all := []Predicted{{Arm: Now, Direction: Down, Rate: 1}, {Arm: "cc=bbr", Direction: Up, Rate: 2}, {Arm: Now, Direction: Up, Rate: 3}}
	if p, ok := NowOf(all, Up); !ok || p.Rate != 3 {
		t.Errorf("%+v, %v", p, ok)
	}
	if p, ok := NowOf(all[:2], Up); ok {
		t.Errorf("%+v", p)
	}
}
