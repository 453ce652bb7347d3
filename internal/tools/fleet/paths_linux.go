package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"unchoke/internal/fleet"
)

// Ends of the mesh: apart cannot reach one another.
const (
	meshHosts = "h00,h01,h11,h09"
	apart     = 0
	apartFrom = 1
)

// A healthy path of the mesh carries nearly what the slower of its two buckets
// lets through; checks run beside each other on two cores.
const (
	leastRate = 60e6  // bit/s
	mostRate  = 210e6 // bit/s, of pathRate
)

// mesh has four hosts check the paths between them, of which two do not reach
// each other.
func (b *bench) mesh(ctx context.Context) error {
	route := fmt.Sprintf("unreachable %s", b.hosts[apartFrom].address)
	if _, err := b.hosts[apart].run("ip route add " + route); err != nil {
		return err
	}
	defer func() { _, _ = b.hosts[apart].run("ip route del " + route) }()
	cmd := b.command(ctx, "fleet", "check", "--mesh", "--hosts", b.inventory(), "--limit", meshHosts)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run() // its status tells
	var s fleet.Survey
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		return fmt.Errorf("status %d: %w: %s", cmd.ProcessState.ExitCode(), err, said.String())
	}
	if len(s.Paths) != 12 {
		return fmt.Errorf("%d paths between four hosts", len(s.Paths))
	}
	measured := 0
	for _, p := range s.Paths {
		closed := p.From == b.hosts[apart].name && p.To == b.hosts[apartFrom].name || p.From == b.hosts[apartFrom].name && p.To == b.hosts[apart].name
		if closed != (p.Error != "") {
			return fmt.Errorf("%s to %s: %q", p.From, p.To, p.Error)
		}
		if closed {
			b.tell("  %s to %s: %s", p.From, p.To, p.Error)
			continue
		}
		if len(p.Ways) != 2 || p.Record == "" {
			return fmt.Errorf("%s to %s: ways %+v, record %q", p.From, p.To, p.Ways, p.Record)
		}
		for _, w := range p.Ways {
			if w.Rate < leastRate || w.Rate > mostRate || w.Verdict == "" {
				return fmt.Errorf("%s to %s: %+v", p.From, p.To, w)
			}
		}
		measured++
	}
	b.tell("  %d paths measured in both directions", measured)
	return nil
}
