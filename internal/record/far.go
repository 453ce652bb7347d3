package record

import "slices"

// Runs says what serves on the far host.
type Runs string

const (
	OwnProgram Runs = "own"       // an unchoke of the far host
	Delivered  Runs = "delivered" // an unchoke that was brought for this run, and removed after it
	StockServe Runs = "stock"     // the far host's iperf3: it tells less
)

// Reach says which way the far end's server was reached.
type Reach string

const (
	ReachedDirect Reach = "direct" // its port answered
	ReachedBack   Reach = "back"   // it connected to this host
	ReachedSSH    Reach = "ssh"    // through the SSH connection, whose window and cipher bound the rate
)

// SSHWindow is the most that OpenSSH has under way in one forwarded connection,
// in bytes, whatever the path would carry: CHAN_TCP_WINDOW_DEFAULT in its
// channels.h, 64 packets of 32 KiB.
const SSHWindow = 64 * 32 << 10

// SenderSide is the sending host's account of a test, and ReceiverSide the
// receiving one's; nil where that host told nothing.
func (t *Transfer) SenderSide() *Transfer { return t.side(t.Direction == Up) }

// ReceiverSide is described at SenderSide.
func (t *Transfer) ReceiverSide() *Transfer { return t.side(t.Direction == Down) }

// SenderCPU is what the sending program took of one core, as a share; 0 where that is not
// known.
func (t *Transfer) SenderCPU() float64 {
	if t.Direction == Up {
		return t.CPUNear
	}
	return t.CPUFar
}

func (t *Transfer) side(near bool) *Transfer {
	if near {
		return t
	}
	return t.FarSide
}

// SenderQueues are the queues of the sending host on a test's way, as far as that host told:
// those of the route's device and of the one beneath its tunnel. A bridge, a bond or a VLAN
// has no queue of its own, and what lies beneath it is not known: then they are all queues of
// that host.
func (r *Run) SenderQueues(t *Transfer) []QdiscUse {
	sender, way := t.SenderSide(), &r.Route
	if t.Direction == Down {
		way = r.FarRoute
	}
	if sender == nil {
		return nil
	}
	if way == nil {
		return sender.Egress
	}
	elsewhere := func(q QdiscUse) bool { return !way.LeavesBy(q.Device) }
	if slices.ContainsFunc(sender.Egress, func(q QdiscUse) bool { return q.Root && !elsewhere(q) }) {
		return slices.DeleteFunc(slices.Clone(sender.Egress), elsewhere)
	}
	return sender.Egress
}

// Sender is what is known of the host that sends in a direction, nil for
// nothing; Receiver of the other.
func (r *Run) Sender(d Direction) *Host { return r.end(d == Up) }

// Receiver is described at Sender.
func (r *Run) Receiver(d Direction) *Host { return r.end(d == Down) }

// FixedReceiveBuffer says that a Linux host's receive buffers do not grow: each keeps
// TCPRmem's second value (tcp_moderate_rcvbuf).
func (h *Host) FixedReceiveBuffer() bool { return h.OS == "linux" && h.Autotuning == "disabled" }

// MostReceive is how large it lets a socket's receive buffer grow, in bytes; 0 where it did
// not tell.
func (h *Host) MostReceive() int64 {
	if h.FixedReceiveBuffer() {
		return h.TCPRmem[1]
	}
	return h.TCPRmem[2]
}

func (r *Run) end(near bool) *Host {
	if near {
		return &r.Near
	}
	return r.FarHost
}
