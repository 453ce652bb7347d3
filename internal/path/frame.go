package path

import (
	"fmt"
	"strings"

	"unchoke/internal/unit"
)

// passes says whether a full frame passes each queue and each bucket: what is
// smaller than one drops it, always.
func (p Path) passes(spec string) error {
	for _, way := range []struct {
		prefix string
		Direction
	}{{"up.", p.Up}, {"down.", p.Down}} {
		for _, limit := range []struct {
			key  string
			size unit.Size // 0: it has no such limit
		}{
			{"queue", way.Queue.Bytes},
			{"policer", way.Policer.Burst},
			{"udp.policer", way.UDP.Policer.Burst},
		} {
			frame := p.Frame(way.Direction)
			if limit.size == 0 || limit.size >= frame {
				continue
			}
			at, value := given(spec, way.prefix, limit.key)
			problem := fmt.Sprintf("bad value for %s: %v is too small for a full frame of %d bytes", limit.key, limit.size, frame)
			allowed := fmt.Sprintf("%s takes RATE:BURST with a burst of %d bytes or more", limit.key, frame)
			if limit.key == "queue" {
				allowed = fmt.Sprintf("queue takes %d bytes or more; packets have a p, such as %s", frame, inPackets(value))
			}
			return &ParseError{What: "path", Text: spec, Offset: at, Length: len(value), Problem: problem, Allowed: allowed}
		}
	}
	return nil
}

// given is the value that a direction has of a key in a path's text, and where
// it stands. The last counts: the key for both directions comes first.
func given(spec, prefix, key string) (at int, value string) {
	offset := 0
	for item := range strings.SplitSeq(spec, ",") {
		if name, v, _ := strings.Cut(item, "="); name == key || name == prefix+key {
			at, value = offset+len(name)+1, v
		}
		offset += len(item) + 1
	}
	return at, value
}

// inPackets is a number that was given without a unit, as one of packets.
func inPackets(value string) string {
	if strings.Trim(value, "0123456789") == "" {
		return value + "p"
	}
	return "1000p"
}
