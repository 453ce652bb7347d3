package check

import (
	"strings"

	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// setupLines say what both hosts are, as far as they told, and how the far one
// came to serve: a line each.
func (c Report) setupLines() []string {
	if c.FarHost == nil {
		return present(c.hostLine(), c.bufferLine(), render.Capital(c.accessWords()))
	}
	return c.farLines()
}

func present(lines ...string) []string {
	var out []string
	for _, l := range lines {
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// hostWords are a host's kernel, congestion control and queue on the way.
func hostWords(h record.Host, qdiscs []record.Qdisc) string {
	var parts []string
	if kernel := render.Kernel(h.OS, h.Kernel); kernel != "" {
		parts = append(parts, kernel)
	}
	if h.CC != "" {
		parts = append(parts, h.CC)
	}
	if len(qdiscs) > 0 {
		parts = append(parts, qdiscs[0].Kind)
	}
	return strings.Join(parts, ", ")
}

func withBuffers(words string, h record.Host) string {
	if h.TCPWmem[2] == 0 {
		return words
	}
	return words + "; " + bufferWords(h)
}

// bufferWords say how large a host lets a socket's buffers grow, or that its
// receive buffers stay as they are.
func bufferWords(h record.Host) string {
	receive := "receive ≤ "
	if h.FixedReceiveBuffer() {
		receive = "receive fixed at "
	}
	return "send ≤ " + render.Size(float64(h.TCPWmem[2])) + ", " + receive + render.Size(float64(h.MostReceive()))
}

// capacity is what the better direction can carry, in bit/s.
func (c Report) capacity() float64 {
	most := 0.0
	for _, w := range []*diagnose.Way{c.Path.Down, c.Path.Up} {
		if w != nil {
			most = max(most, w.Capacity)
		}
	}
	return most
}
