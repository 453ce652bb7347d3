package main

import "testing"

func TestLoaded(t *testing.T) {
	l, err := loaded([]byte(`{"end":{"sum_received":{"seconds":60.5,"bytes":2355200}}}`))
	if err != nil || l.seconds != 60.5 || int(l.rate) != 38928 {
		t.Errorf("%+v, %v", l, err)
	}
	for name, text := range map[string]string{
		"no JSON":          `iperf3: error`,
		"an error":         `{"error":"unable to connect"}`,
		"nothing received": `{"end":{"sum_received":{"seconds":60}}}`,
	} {
		if l, err := loaded([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestLoads(t *testing.T) {
	all := []load{{seconds: 3, rate: 760e3}, {seconds: 6.04, rate: 381e3}, {seconds: 2.2, rate: 1045e3}}
	if got, want := loads(all), "381, 760, 1045 KB/s; 2.2–6.0 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
