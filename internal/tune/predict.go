package tune

import "maps"

// State is what a host's kernel holds, as far as a plan deals with it.
type State struct {
	// Sysctls by key. After a reboot, those alone that a file sets.
	Sysctls map[string]string `json:"sysctls"`
	// Qdiscs by device.
	Qdiscs map[string]QdiscValue `json:"qdiscs,omitempty"`
}

// AfterApply is the state once a plan's changes of now are made.
func AfterApply(f *Facts, p *Plan) State {
	s := State{Sysctls: maps.Clone(f.Sysctls), Qdiscs: map[string]QdiscValue{}}
	for _, d := range f.Devices {
		s.Qdiscs[d.Name] = d.Qdisc
	}
	for _, c := range p.Changes {
		if c.When != Now || c.New == nil {
			continue
		}
		switch c.Kind {
		case Sysctl:
			s.Sysctls[c.Key] = *c.New
		case Qdisc:
			if q, err := Decode[QdiscValue](c.New); err == nil {
				s.Qdiscs[c.Key] = *q
			}
		}
	}
	return s
}

// AfterReboot is the state that the init system's reader of sysctls leaves,
// once a plan's files are written.
func AfterReboot(f *Facts, p *Plan) State {
	return State{Sysctls: f.afterBoot(p.tree(f.Boot))}
}
