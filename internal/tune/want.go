package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
	"unchoke/internal/wire"
)

// want is a sysctl that the measured path asks for.
type want struct {
	key string
	// value gives what it is to be, from what it is: a buffer is only raised.
	// The same value back means that it is right as it is.
	value func(have string) string
	why   string
}

// exactly is any value but this one being wrong.
func exactly(value string) func(string) string {
	return func(string) string { return value }
}

// atLeast raises a number.
func atLeast(n int64) func(string) string {
	return func(have string) string {
		if v, err := strconv.ParseInt(have, 10, 64); err == nil && v >= n {
			return have
		}
		return strconv.FormatInt(n, 10)
	}
}

// room raises the last of minimum, default and maximum to size where it is
// below least.
func room(least, size int64) func(string) string {
	return func(have string) string {
		v, ok := triple(have)
		if ok && v[2] >= min(least, size) {
			return have
		}
		if !ok {
			v = [3]int64{4096, 131072, 0} // the kernel's own, where nothing sensible stands
		}
		return fmt.Sprintf("%d %d %d", v[0], v[1], size)
	}
}

// needs is what a path's causes call for on this host.
type needs struct {
	bbr    string // why; empty where it is not called for
	shape  int64  // bit/s to which fq is to hold each flow; 0 for none
	sysctl []want
	notes  []Note
}

func (n *needs) note(about, command, format string, args ...any) {
	n.notes = append(n.notes, Note{About: about, What: fmt.Sprintf(format, args...), Command: command})
}

// assess says what the measured path needs of this host. Without a record that
// is nothing but the remedy that was named.
func assess(f *Facts, m *Measured, remedy Remedy) needs {
	var n needs
	switch {
	case remedy == UseBBR:
		n.bbr = "asked for" + m.way(record.Up).gainWords(finding.KindCC)
	case m == nil:
		n.note(AboutRecord, "unchoke check TARGET", "No path was measured, so nothing is planned. Check one first, which says what is worth changing; --remedy bbr plans BBR without a measurement.")
		return n
	}
	if m == nil {
		return n
	}
	for _, d := range []record.Direction{record.Up, record.Down} {
		if w := m.way(d); w != nil {
			assessWay(f, m, d, w, remedy, &n)
		}
	}
	if m.tunnelled() || m.Up.has(finding.MTUBlackhole) {
		why := "the path goes through a tunnel (" + m.Tunnel + "): where an ICMP message about its smaller MTU is lost, TCP finds a size that passes by itself; it acts only then"
		if m.Up.has(finding.MTUBlackhole) {
			why = "full-size packets vanish on their way up: TCP finds a size that passes by itself, after some seconds of silence"
		}
		if n.bbr != "" || m.Up.has(finding.MTUBlackhole) {
			n.sysctl = append(n.sysctl, want{keyMTU, func(have string) string {
				if have == "2" {
					return have // probes from the start, which does more
				}
				return "1"
			}, why})
		}
	}
	if m.tunnelled() && m.has(finding.UDPThrottled) {
		n.note("udp-throttled", "", "The network treats the tunnel's UDP worse than TCP: no setting of this host changes that, and nothing is planned for it. Another UDP port, a transport over TCP, or an endpoint that is reached by another way may.")
	}
	if mtu := m.hole(); mtu > 0 {
		n.noteMTU(m, mtu)
	}
	n.noteUnplanned(m)
	return n
}

// noteUnplanned tells of the causes for which no plan changes anything, so that a plan
// without changes does not read as if nothing were wrong.
func (n *needs) noteUnplanned(m *Measured) {
	for _, cause := range finding.Causes() {
		e := finding.Of(cause)
		if e.Plan != "" || cause == finding.Healthy || cause == finding.CPUBound || cause == finding.UDPThrottled && m.tunnelled() {
			continue
		}
		var where string
		switch up, down := m.Up.has(cause), m.Down.has(cause); {
		case up && down:
			where = "Upload and download"
		case up:
			where = directionWord(record.Up)
		case down:
			where = directionWord(record.Down)
		default:
			continue
		}
		command, next := "", ""
		if m.Record != "" {
			command, next = "unchoke record show "+m.Record, " The record says what may help, and where."
		}
		n.note(string(cause), command, "%s: %s. Nothing is planned for it.%s", where, e.Title, next)
	}
}

// assessWay goes through a direction's causes. What a cause calls for is in the
// table of causes; here it meets this host, if the cause is this host's.
func assessWay(f *Facts, m *Measured, d record.Direction, w *Way, remedy Remedy, n *needs) {
	for _, cause := range w.Causes {
		e := finding.Of(cause)
		if cause == finding.CPUBound {
			n.note("processor", "unchoke record show "+m.Record, "%s is bound by the processor: no congestion control, buffer or qdisc makes a packet cheaper, so that nothing is planned for it. The record says what fills the processor or limits it, and what helps.", directionWord(d))
		}
		if e.Plan == "" {
			continue
		}
		if e.Plan == finding.KindMTUProbing {
			continue // an MTU is set at either end
		}
		if cause == finding.NoSACK {
			n.wantSACK(f, d, w)
			continue
		}
		if cause == finding.ReceiveWindow && w.Unscaled {
			n.wantScaling(f, d, w)
			continue // no buffer makes such a window larger
		}
		if e.Host.Host(d) != "near" {
			n.noteFar(m, d, w, e)
			continue
		}
		switch e.Plan {
		case finding.KindCC:
			n.wantBBR(e, w)
		case finding.KindSendBuffer:
			if !n.gainless(e.Plan, w, "A larger send buffer") {
				n.wantRoom(f, m, keyWmem, d, true)
				n.wantUnsent(f, m)
			}
		case finding.KindReceiveBuffer:
			if f.Sysctls[keyModerate] == "0" {
				n.sysctl = append(n.sysctl, want{keyModerate, exactly("1"), "autotuning is off on this host: a receive buffer keeps the second value of " + keyRmem})
			}
			if !n.gainless(e.Plan, w, "A larger receive buffer") {
				n.wantRoom(f, m, keyRmem, d, true)
			}
		case finding.KindSocketBuffer:
			n.wantSocketRoom(f, w)
		case finding.KindPace:
			if remedy != UseMaxRate {
				n.noteMaxRate(w)
			}
		}
	}
	if d == record.Up {
		assessSending(f, m, w, remedy, n)
	} else if slow(w) && f.BacklogDrops > 0 {
		n.sysctl = append(n.sysctl, want{
			keyBacklog, atLeast(fullBacklog),
			fmt.Sprintf("%d packets that had arrived were dropped since boot, as this queue was full (/proc/net/softnet_stat)", f.BacklogDrops),
		})
	}
}

// noteFar tells what only the far host can change.
func (n *needs) noteFar(m *Measured, d record.Direction, w *Way, e finding.Entry) {
	command, wants := "", finding.BufferFor(m.bdp(d))
	switch {
	case e.Plan == finding.KindReceiveBuffer && wants > finding.DefaultReceiveMost:
		command = finding.RaiseReceiveBuffer(wants).Command()
	case m.Source != "":
		command = "unchoke check " + m.Source + " && unchoke tune plan"
	}
	n.note("far-host", command,
		"%s carries %s of %s, and there the far host is the %s: %s. No setting of this host changes that: check and tune on the far host.",
		directionWord(d), rate(w.Rate), rate(w.Capacity), e.Host, e.Far)
}

// directionWord begins a sentence about a direction.
func directionWord(d record.Direction) string {
	if d == record.Up {
		return "Upload"
	}
	return "Download"
}

// assessSending is what follows for the host that sends.
func assessSending(f *Facts, m *Measured, w *Way, remedy Remedy, n *needs) {
	if n.bbr != "" {
		n.wantRoom(f, m, keyWmem, record.Up, false)
		n.wantUnsent(f, m)
		if w.Policer > 0 && !w.has(finding.Policed) && remedy != UseMaxRate {
			n.noteMaxRate(w)
		}
		if w.has(finding.LossLimited) || w.has(finding.Reordering) {
			n.note("bbr", "", "BBR does not answer to single losses: beside CUBIC flows over the same bottleneck it takes more than its share, and it resends more. It acts on new connections; those that run keep their algorithm.")
		}
	}
	if remedy == UseMaxRate && w.Policer > 0 {
		n.shape = w.maxRate()
	}
	if (w.has(finding.SendBuffer) || w.has(finding.ReceiveWindow)) && n.bbr == "" && !strings.HasPrefix(w.CC, bbr) {
		if back := restart(m); back > longRestart {
			n.sysctl = append(n.sysctl, want{
				keyAfterIdle, exactly("0"),
				fmt.Sprintf("a connection that paused begins again with 10 segments, and needs %.1f s to be back at the path's rate; BBR would not mind", back),
			})
		}
	}
}

// restart is how long, in seconds, slow start takes from its first window
// (RFC 6928) until it fills the path: it doubles each round trip.
func restart(m *Measured) float64 {
	const initialWindow = 10 * wire.Segment // bytes
	return m.RTT * max(math.Log2(float64(m.bdp(record.Up))/initialWindow), 0)
}

// longRestart is a pause in seconds that a viewer notices.
const longRestart = 1.0

// fullBacklog is a queue of input packets for a core that is held up for some
// milliseconds: 10,000 full frames are 12 ms of 10 Gbit/s.
const fullBacklog = 10_000

func (n *needs) wantBBR(e finding.Entry, w *Way) {
	if n.bbr != "" {
		return
	}
	if strings.HasPrefix(w.CC, bbr) {
		n.note("bbr", "", "Upload already ran with %s: another congestion control is not what is missing.", w.CC)
		return
	}
	if n.gainless(finding.KindCC, w, "BBR") {
		return
	}
	n.bbr = fmt.Sprintf("%s: one stream carries %s of %s%s", e.Reason(w.CC), rate(w.Rate), rate(w.Capacity), w.gainWords(finding.KindCC))
}

// wantRoom asks for a buffer that lets a stream have twice the path's
// bandwidth-delay product in flight, as BBR does while it probes. What a
// measurement shows to be short is raised in any case, anything else where it
// does not hold as much.
func (n *needs) wantRoom(f *Facts, m *Measured, key string, d record.Direction, short bool) {
	bdp := m.bdp(d)
	if bdp == 0 {
		return
	}
	size := finding.BufferFor(bdp)
	least := 2 * bdp
	if short {
		least = size
	}
	why := fmt.Sprintf("room for twice the bandwidth-delay product of %s (%s × %s) in flight, and as much again for the kernel's bookkeeping", human(bdp), rate(m.way(d).Capacity), unit.HumanTime(m.RTT))
	if limit := f.System.Memory / memoryShare; limit > 0 && size > limit {
		size = limit
		why = fmt.Sprintf("a 1/%d of the memory; the path would ask for %s", memoryShare, human(finding.BufferFor(bdp)))
	}
	w := want{key, room(least, size), why}
	n.sysctl = append(n.sysctl, w)
	if have := f.Sysctls[key]; have != "" && w.value(have) == have {
		return
	}
	n.note("buffers", "", "%s bounds what the kernel gives a connection by itself. %s bounds only programs that set their buffer themselves; it is left as it is.", key, map[string]string{keyWmem: "net.core.wmem_max", keyRmem: "net.core.rmem_max"}[key])
}

// wantScaling lets windows exceed 64 KiB.
func (n *needs) wantScaling(f *Facts, d record.Direction, w *Way) {
	n.wantOption(f, d, w, keyScaling, finding.ScaleWindows(), "window scaling",
		"window scaling is off on this host: no window exceeds 64 KiB, however large the buffers are")
}

// wantSACK lets receivers tell what arrived behind a lost packet.
func (n *needs) wantSACK(f *Facts, d record.Direction, w *Way) {
	n.wantOption(f, d, w, keySACK, finding.AcknowledgeSelectively(), "selective acknowledgements",
		"selective acknowledgements are off on this host: every lost packet costs a round trip")
}

// wantOption switches an option of TCP on, which both hosts must offer, where this host is
// the one that does not.
func (n *needs) wantOption(f *Facts, d record.Direction, w *Way, key string, action finding.Action, option, why string) {
	switch {
	case f.Sysctls[key] != "0":
		n.note("far-host", action.Command(),
			"%s carries %s of %s without %s, which this host offers: the far host has the option off, or a firewall takes it away. No setting of this host changes that.",
			directionWord(d), rate(w.Rate), rate(w.Capacity), option)
	case !slices.ContainsFunc(n.sysctl, func(x want) bool { return x.key == key }):
		n.sysctl = append(n.sysctl, want{key, exactly("1"), why})
	}
}

// wantSocketRoom lets UDP sockets hold more, those of programs that ask for it
// and those of others.
func (n *needs) wantSocketRoom(f *Facts, w *Way) {
	size := w.SocketBuffer
	if limit := f.System.Memory / memoryShare; limit > 0 {
		size = min(size, limit)
	}
	if size <= 0 {
		return
	}
	n.sysctl = append(n.sysctl,
		want{keySocketMax, atLeast(size), "the tunnel program's UDP socket overflows: it may ask for a larger buffer then"},
		want{keySocket, atLeast(size), "a tunnel program that does not ask for a buffer gets this one; so does every other new socket that is not TCP's, as a bound and not in advance"})
	n.note("socket", "", "A socket keeps the buffer that it was made with: restart the tunnel's program once the plan is applied. Its own option, where it has one (OpenVPN's rcvbuf), goes before the default.")
}

// wantUnsent bounds what a program can leave unsent in a large send buffer.
func (n *needs) wantUnsent(f *Facts, m *Measured) {
	capacity := m.Up.Capacity
	size := min(finding.BufferFor(m.bdp(record.Up)), cmp.Or(f.System.Memory/memoryShare, math.MaxInt64))
	stale := float64(size) * 8 / max(capacity, 1)
	if stale > longRestart/2 {
		unsent := max(int64(128*unit.KiB), int64(capacity/8/100))
		n.sysctl = append(n.sysctl, want{keyNotsent, func(have string) string {
			if v, err := strconv.ParseInt(have, 10, 64); err == nil && v <= unsent {
				return have
			}
			return strconv.FormatInt(unsent, 10)
		}, fmt.Sprintf("a program that writes ahead would leave %.1f s of data unsent in that buffer: 10 ms of it keeps the path full", stale)})
	}
}

// memoryShare: one connection's buffer may take at most this part of the
// memory. The kernel begins to press all of TCP together at about an eighth of
// it (tcp_mem, tcp_init_mem in net/ipv4/tcp.c: an eighth for the second
// figure).
const memoryShare = 16

// noteMaxRate tells what BBR costs into a policer, and offers a shaper.
func (n *needs) noteMaxRate(w *Way) {
	n.note("policer", "unchoke tune plan --remedy maxrate",
		"Something on the path drops what exceeds %s and lets nothing queue (a policer). BBR gets close to that, and pays with retransmits: it goes on sending a quarter more than gets through whenever it probes. fq with maxrate %s on this host loses nothing%s. But it holds every flow that leaves by that device to that rate, and several together may still exceed the limit.",
		rate(w.Policer), rate(float64(w.maxRate())), w.gainWords(finding.KindPace))
}

func (w *Way) has(c finding.Cause) bool { return w != nil && slices.Contains(w.Causes, c) }

func (m *Measured) has(c finding.Cause) bool { return m.Up.has(c) || m.Down.has(c) }

func (m *Measured) tunnelled() bool { return m.Tunnel != "" && m.Tunnel != "none" }

// slow says that something was found wrong with a direction.
func slow(w *Way) bool {
	return w != nil && len(w.Causes) > 0 && !w.has(finding.Healthy)
}

func rate(bps float64) string { return unit.HumanRate(bps) }

func human(bytes int64) string { return unit.Size(bytes).Human() }
