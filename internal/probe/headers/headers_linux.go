//go:build !slim

package headers

import (
	"errors"
	"net/netip"
	"time"

	"unchoke/internal/flow/packets"
	"unchoke/internal/linux/packet"
	"unchoke/internal/record"
)

// every is how often the headers are taken that the kernel kept: seldom enough that
// most of the time nobody waits for one.
const every = 20 * time.Millisecond

// Following is a connection whose packets are read.
type Following struct {
	tap           *packet.Tap
	local, remote netip.AddrPort
	follows       follower
	header        packets.Header // of the packet that is looked at
	stop          chan struct{}
	ended         chan error
}

// follower is a packets.Sender or a packets.Receiver.
type follower interface {
	Add(*packets.Header)
	Begun() time.Time
	Seen() *record.Packets
}

// Follow begins to follow the packets between two ends on a device, of data that
// leaves or of data that arrives, with segments of this much payload, in bytes. The
// error is fs.ErrPermission where that takes more rights.
func Follow(device string, local, remote netip.AddrPort, leaves bool, segment int) (*Following, error) {
	tap, err := packet.Open(device, local, remote)
	if err != nil {
		return nil, err
	}
	f := &Following{
		tap: tap, local: plain(local), remote: plain(remote), follows: packets.Receives(segment),
		stop: make(chan struct{}), ended: make(chan error, 1),
	}
	if leaves {
		f.follows = packets.Sends(segment)
	}
	go func() { f.ended <- f.read() }()
	return f, nil
}

// plain is an end as IP's header has it.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// add takes a packet. A loopback device shows each twice, as it leaves and as it
// arrives: what comes from here counts as it leaves.
func (f *Following) add(p packet.Packet) {
	f.header = packets.Header{At: p.At}
	if f.header.Decode(p.Headers, f.local, f.remote) && f.header.Leaves == p.Leaves {
		f.follows.Add(&f.header)
	}
}

func (f *Following) read() error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := f.tap.Read(f.add); err != nil {
			return err
		}
		select {
		case <-f.stop:
			return f.tap.Read(f.add)
		case <-tick.C:
		}
	}
}

// End is what was seen, its times since a moment; nil where nothing was.
func (f *Following) End(since time.Time) (*record.Packets, error) {
	close(f.stop)
	err := <-f.ended
	missed, failed := f.tap.Missed()
	err = errors.Join(err, failed, f.tap.Close())
	out := f.follows.Seen()
	if out != nil {
		out.After, out.Missed = f.follows.Begun().Sub(since).Seconds(), missed
	}
	return out, err
}
