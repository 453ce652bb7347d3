package check

import (
	"fmt"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// step is a remedy as a reader takes it, in one direction or in both.
type step struct {
	remedy    finding.Remedy
	direction record.Direction
	other     *finding.Remedy // the same in the other direction, on another host or with another command
	either    bool            // the same on the same host, which receives in one direction and sends in the other
}

// steps are the remedies of the verdict, in each direction in which it holds.
func (c Report) steps() []step {
	lead, _ := c.leading()
	var out []step
	for _, f := range c.Findings {
		if f.Cause != lead.Cause {
			continue
		}
		for i := range f.Remedies {
			if r := &f.Remedies[i]; !joined(out, f.Direction, r) {
				out = append(out, step{remedy: *r, direction: f.Direction})
			}
		}
	}
	return out
}

// joined makes a remedy part of the step that is the same in the other direction, if there
// is one.
func joined(steps []step, d record.Direction, r *finding.Remedy) bool {
	for i := range steps {
		s := &steps[i]
		if s.direction == d || s.remedy.What != r.What {
			continue
		}
		if s.remedy.Where != r.Where {
			if r.Host == "" || s.remedy.Host != r.Host || s.remedy.Command != r.Command {
				continue
			}
			s.either = true
			return true
		}
		if s.remedy.Host != r.Host || s.remedy.Command != r.Command {
			s.other = r
		}
		return true
	}
	return false
}

// words put the host on which a step belongs in front of it.
func (s step) words() string {
	r := s.remedy
	switch {
	case r.Where == finding.Network:
		return "In the network: " + r.What
	case s.either && r.Host == "near":
		return "Here: " + r.What
	case s.either:
		return "On the far host: " + r.What
	case s.other != nil && s.other.Host != r.Host:
		return fmt.Sprintf("On both hosts (each is a %s): %s", r.Where, r.What)
	case r.Host == "near":
		return fmt.Sprintf("Here (the %s): %s", r.Where, r.What)
	case r.Host == "far":
		return fmt.Sprintf("On the far host (the %s): %s", r.Where, r.What)
	}
	return r.What
}

// command is what does the step; where the directions differ in it, that of each.
func (s step) command() string {
	if s.other == nil || s.other.Command == s.remedy.Command {
		return s.remedy.Command
	}
	return fmt.Sprintf("# %s\n%s\n# %s\n%s", s.direction.Word(), s.remedy.Command, s.direction.Opposite().Word(), s.other.Command)
}
