package flow

import (
	"testing"

	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

func TestStoodStill(t *testing.T) {
	stream := func(sender bool, acked uint64, bytes int64) record.Series {
		return record.Series{Sender: sender, Samples: []record.Sample{{At: 0.1}, {At: 2, Bytes: bytes, Info: tcpinfo.Info{BytesAcked: acked}}}}
	}
	for name, c := range map[string]struct {
		t    record.Transfer
		want bool
	}{
		"a full buffer, a cookie acknowledged": {record.Transfer{Duration: 2, Series: []record.Series{stream(true, 38, 90_000)}}, true},
		"nothing came":                         {record.Transfer{Duration: 2, Series: []record.Series{stream(false, 0, 0)}}, true},
		"one of two moved":                     {record.Transfer{Duration: 2, Series: []record.Series{stream(false, 0, 0), stream(false, 0, 9000)}}, false},
		"too short to say":                     {record.Transfer{Duration: 0.5, Series: []record.Series{stream(false, 0, 0)}}, false},
		"nothing known":                        {record.Transfer{Duration: 2}, false},
		"UDP":                                  {record.Transfer{Protocol: record.UDP, Duration: 2, Series: []record.Series{stream(false, 0, 0)}}, false},
	} {
		if c.t.Protocol == "" {
			c.t.Protocol = record.TCP
		}
		if got := StoodStill(&c.t); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
