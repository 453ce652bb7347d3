package truth

import (
	"encoding/json"
	"fmt"

	"unchoke/internal/tools/diagnosis/draw"
)

// iperf3 is one stream of stock iperf3.
type iperf3 struct{}

const pad = 60 // s that iperf3 may take longer than it should

func (iperf3) Scripts(way draw.Direction, p Seconds) (near, far string) {
	reverse := ""
	if way == draw.Down {
		reverse = " -R"
	}
	return fmt.Sprintf("timeout %d iperf3 -c far -t %d -O %d%s -J", p.Omit+p.Count+pad, p.Count, p.Omit, reverse), "iperf3 -s"
}

// document is what is read of iperf3's JSON.
type document struct {
	Error string `json:"error"`
	Start struct {
		Test struct {
			Reverse int `json:"reverse"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Sum struct {
			Seconds float64 `json:"seconds"`
			Bytes   float64 `json:"bytes"`
			Omitted bool    `json:"omitted"`
		} `json:"sum"`
	} `json:"intervals"`
	End struct {
		Sent struct {
			Resent int `json:"retransmits"`
		} `json:"sum_sent"`
		Received struct {
			Rate float64 `json:"bits_per_second"`
		} `json:"sum_received"`
	} `json:"end"`
}

// Read allows for an iperf3 that gave up, as where its control connection starves
// behind a thin way back, or nothing large passes. The document then has an error, and
// no figures at its end; what this host received stands in the intervals all the same.
func (iperf3) Read(text []byte) (r Run) {
	var doc document
	if json.Unmarshal(text, &doc) != nil {
		return r
	}
	switch {
	case doc.Error == "":
		r.Complete, r.Rate, r.Resent = true, doc.End.Received.Rate, doc.End.Sent.Resent
	case doc.Start.Test.Reverse == 1:
		r.Rate = doc.mean(func(_ float64, omitted bool) bool { return !omitted })
	default:
		return r
	}
	r.Early = doc.mean(func(at float64, _ bool) bool { return at < 4.5 })
	return r
}

// mean is the rate over those intervals that are wanted by when they began, in
// seconds, and whether iperf3 left them out, in bit/s.
func (d document) mean(wanted func(at float64, omitted bool) bool) float64 {
	var at, bytes, seconds float64
	for _, i := range d.Intervals {
		if wanted(at, i.Sum.Omitted) {
			bytes += i.Sum.Bytes
			seconds += i.Sum.Seconds
		}
		at += i.Sum.Seconds
	}
	if seconds == 0 {
		return 0
	}
	return bytes * 8 / seconds
}
