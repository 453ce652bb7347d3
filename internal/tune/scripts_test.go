package tune

import (
	"maps"
	"strings"
	"testing"
)

// without is a file's text but for the lines that contain one of the words, as
// sed '/word/d' leaves it.
func without(text string, words ...string) string {
	var b strings.Builder
lines:
	for line := range strings.Lines(text) {
		for _, w := range words {
			if strings.Contains(line, w) {
				continue lines
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

const twoLines = "net.core.default_qdisc = fq\nnet.ipv4.tcp_congestion_control = bbr\n"

// scripts are what common one-click scripts leave of the files that decide at
// boot: docs/tune.md names their versions.
var scripts = map[string]func(map[string]string){
	// teddysun/across bbr.sh and hawshemi/Linux-Optimizer: lines of these keys
	// out of /etc/sysctl.conf, new ones to its end.
	"sysctl.conf": func(f map[string]string) {
		f["/etc/sysctl.conf"] = without(f["/etc/sysctl.conf"], keyQdisc, keyCC) + twoLines
	},
	// ylx2016/Linux-NetSpeed tcp.sh: the same with 99-sysctl.conf, which sed -i
	// makes a file where it was a link.
	"99-sysctl.conf": func(f map[string]string) {
		const name = "/etc/sysctl.d/99-sysctl.conf"
		text := f[name]
		if strings.HasPrefix(text, "-> ") {
			text = f["/etc/sysctl.conf"]
		}
		f["/etc/sysctl.conf"] = without(f["/etc/sysctl.conf"], keyQdisc, keyCC)
		f[name] = without(text, keyQdisc, keyCC) + twoLines
	},
	"unchoke": nil,
}

// The table in docs/tune.md: who is in force after a reboot, on the same
// hosts.
func TestBesideScripts(t *testing.T) {
	link := "-> ../sysctl.conf"
	for _, host := range []struct {
		name  string
		files map[string]string
		want  map[string]string // the algorithm after a reboot
	}{
		{
			"Debian 12, sysctl.conf sets cubic",
			map[string]string{"/etc/sysctl.conf": "net.ipv4.tcp_congestion_control = cubic\n", "/etc/sysctl.d/99-sysctl.conf": link},
			map[string]string{"sysctl.conf": "bbr", "99-sysctl.conf": "bbr", "unchoke": "bbr"},
		},
		{
			"Debian 13, no sysctl.conf",
			map[string]string{},
			map[string]string{"sysctl.conf": "cubic", "99-sysctl.conf": "bbr", "unchoke": "bbr"},
		},
		{
			"a drop-in that sorts last sets cubic",
			map[string]string{"/etc/sysctl.d/zz-image.conf": "net.ipv4.tcp_congestion_control = cubic\n", "/etc/sysctl.d/99-sysctl.conf": link, "/etc/sysctl.conf": "\n"},
			map[string]string{"sysctl.conf": "cubic", "99-sysctl.conf": "cubic", "unchoke": "cubic", "unchoke --resolve": "bbr"},
		},
	} {
		for script, want := range host.want {
			files := maps.Clone(host.files)
			var after map[string]string
			if write := scripts[script]; write != nil {
				write(files)
				f := debian().boot(files)
				after = f.afterBoot(f.Boot)
			} else {
				f := debian().boot(files)
				p := plan(t, f, lossy(), Options{Resolve: script == "unchoke --resolve"})
				after = AfterReboot(f, &p).Sysctls
				if want == "cubic" && len(p.Conflicts) == 0 {
					t.Errorf("%s: what wins over the plan is not told", host.name)
				}
			}
			got := after[keyCC]
			if got == "" {
				got = "cubic" // the kernel's own
			}
			if got != want {
				t.Errorf("%s, %s: %s after a reboot, want %s", host.name, script, got, want)
			}
		}
	}
}
