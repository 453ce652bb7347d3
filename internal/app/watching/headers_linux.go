//go:build !slim

package watching

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"time"

	"unchoke/internal/flow/packets"
	"unchoke/internal/linux/packet"
	"unchoke/internal/live"
	"unchoke/internal/record"
)

// headersEvery is how often the kernel is asked for the headers that it kept: seldom
// enough that most of the time nobody waits for one.
const headersEvery = 5 * time.Millisecond

// headers follows the packets of a connection, by their headers.
type headers struct {
	tap           *packet.Tap
	local, remote netip.AddrPort
	follows       follower
	stop          chan struct{}
	ended         chan error
}

// follower is a packets.Sender or a packets.Receiver.
type follower interface {
	Add(*packets.Header)
	Begun() time.Time
	Seen() *record.Packets
}

// followerOf is for the direction in which a connection carries more.
func followerOf(f *live.Flow) follower {
	if sends(f) {
		return packets.Sends(int(f.SegmentSize))
	}
	return packets.Receives(int(f.SegmentSize))
}

// readHeaders begins to follow a connection's packets on a device. The error is
// fs.ErrPermission where that takes more rights.
func readHeaders(device string, f *live.Flow) (*headers, error) {
	tap, err := packet.Open(device, f.Local, f.Remote)
	if err != nil {
		return nil, err
	}
	h := &headers{
		tap: tap, local: plain(f.Local), remote: plain(f.Remote), follows: followerOf(f),
		stop: make(chan struct{}), ended: make(chan error, 1),
	}
	go func() { h.ended <- h.read() }()
	return h, nil
}

// plain is an end as IP's header has it.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// add takes a packet. A loopback device shows each twice, as it leaves and as it
// arrives: what comes from here counts as it leaves.
func (h *headers) add(p packet.Packet) {
	x := packets.Header{At: p.At}
	if x.Decode(p.Headers, h.local, h.remote) && x.Leaves == p.Leaves {
		h.follows.Add(&x)
	}
}

func (h *headers) read() error {
	tick := time.NewTicker(headersEvery)
	defer tick.Stop()
	for {
		if err := h.tap.Read(h.add); err != nil {
			return err
		}
		select {
		case <-h.stop:
			return nil
		case <-tick.C:
		}
	}
}

// end is what was seen, nil where nothing was.
func (h *headers) end(since time.Time) (*record.Packets, error) {
	close(h.stop)
	err := <-h.ended
	missed, failed := h.tap.Missed()
	err = errors.Join(err, failed, h.tap.Close())
	out := h.follows.Seen()
	if out != nil {
		out.After, out.Missed = h.follows.Begun().Sub(since).Seconds(), missed
	}
	return out, err
}

// startHeaders begins to read the headers of the connection's packets, and says in the
// record where it may not.
func (c *Chosen) startHeaders(run *record.Run) *headers {
	h, err := readHeaders(cmp.Or(c.flow.Device, run.Route.Device), &c.flow)
	if err != nil {
		run.Skipped = append(run.Skipped, record.Skip{Step: "headers of the packets", Why: headersRefused(err)})
		return nil
	}
	return h
}

// kept ends the reading of headers, and says in the record what was missed.
func (h *headers) kept(since time.Time, run *record.Run) *record.Packets {
	if h == nil {
		return nil
	}
	p, err := h.end(since)
	if err != nil {
		run.Warnings = append(run.Warnings, "headers of the packets: "+err.Error())
	}
	if p != nil && p.Missed > 0 {
		run.Warnings = append(run.Warnings, fmt.Sprintf("this host was too busy to read the headers of %d packets: what the others tell is less certain", p.Missed))
	}
	return p
}

// headersRefused is why no headers were read, and what would help.
func headersRefused(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "they take root (CAP_NET_RAW), and tell much of the path: sudo unchoke check --flow …"
	}
	return err.Error()
}
