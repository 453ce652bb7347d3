package draw

import (
	"fmt"
	"strings"
)

// Scene is a lab path together with both hosts' settings: everything that a
// run in the lab depends on but its seed.
type Scene struct {
	Path       string   `json:"path"` // in the path language
	NearSysctl []string `json:"near_sysctl,omitempty"`
	FarSysctl  []string `json:"far_sysctl,omitempty"`
	Setup      string   `json:"setup,omitempty"` // shell command that near runs first
}

// Exec is the arguments that make unchoke run a shell script on near, with
// stock iperf3 serving on far.
func (s Scene) Exec(seed uint64, script string) []string {
	return s.ExecBeside("iperf3 -s", seed, script)
}

// ExecBeside is Exec with another command on far.
func (s Scene) ExecBeside(far string, seed uint64, script string) []string {
	args := []string{"lab", "exec", "--seed", fmt.Sprint(seed), "--path", s.Path, "--far", far}
	for _, x := range s.NearSysctl {
		args = append(args, "--near-sysctl", x)
	}
	for _, x := range s.FarSysctl {
		args = append(args, "--far-sysctl", x)
	}
	if s.Setup != "" {
		script = s.Setup + "; " + script
	}
	return append(args, "--", "sh", "-c", script)
}

// Command is what repeats a run by hand.
func (s Scene) Command(seed uint64, script string) string {
	return s.CommandBeside("iperf3 -s", seed, script)
}

// CommandBeside is Command with another command on far.
func (s Scene) CommandBeside(far string, seed uint64, script string) string {
	words := []string{"unchoke"}
	for _, a := range s.ExecBeside(far, seed, script) {
		if strings.ContainsAny(a, " ;:'|&*") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
