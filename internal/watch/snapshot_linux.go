package watch

import (
	"fmt"
	"os"
	"time"

	"unchoke/internal/live"
)

// snapshot puts together what the look found.
func (s *Sampler) snapshot(at time.Time) *live.Snapshot {
	out := &live.Snapshot{
		Schema: live.Schema, Time: at, Interval: (s.last - s.before).Seconds(), Short: s.short,
		Flows: make([]live.Flow, 0, len(s.order)+len(s.ended)),
	}
	unknown := 0
	for _, e := range s.order {
		if e.flow.Closed {
			continue // it ended after the dump
		}
		if e.owner&processUnknown != 0 {
			unknown++
		}
		out.Flows = append(out.Flows, e.flow)
	}
	for _, e := range s.ended {
		out.Flows = append(out.Flows, e.flow)
	}
	clear(s.ended)
	s.ended, s.short = s.ended[:0], 0
	s.forget()
	out.Notes = s.notes(unknown)
	if s.ends != nil {
		lost, err := s.ends.lost()
		if out.LostEvents = lost; err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("the kernel tells no more of connections that end: %v", err))
		}
	}
	return out
}

// notes say what this look could not do.
func (s *Sampler) notes(unknown int) []string {
	var out []string
	if text := s.pace.note(); text != "" {
		out = append(out, text)
	}
	if s.noEnds != nil {
		out = append(out, fmt.Sprintf("the kernel does not tell of connections that end, so those shorter than the interval are missing: %v", s.noEnds))
	}
	if s.closer.fails != nil {
		out = append(out, fmt.Sprintf("the busiest connections are not looked at closely: %v", s.closer.fails))
	}
	if s.stale > 0 {
		out = append(out, fmt.Sprintf("the kernel's list of connections changed while it was read, %d times in a row; connections shown as they were before: %d", mostDumps, s.stale))
	}
	if s.noPorts != nil {
		out = append(out, fmt.Sprintf("who opened the newest connections is not known: %v", s.noPorts))
	}
	if unknown > 0 && os.Geteuid() != 0 {
		out = append(out, fmt.Sprintf("the processes of %d connections are not known: those of other users take root (CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH)", unknown))
	} else if unknown > 0 {
		out = append(out, fmt.Sprintf("the processes of %d connections are not known: no process that /proc shows holds them", unknown))
	}
	return out
}
