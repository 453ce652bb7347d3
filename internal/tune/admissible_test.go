package tune

import "testing"

func TestAdmissible(t *testing.T) {
	file := func(content string) *string { return Encode(FileValue{Content: []byte(content), Mode: fileMode}) }
	for name, c := range map[string]struct {
		Change
		ok bool
	}{
		"a key":                 {Change{Kind: Sysctl, Key: keyCC, Old: new("cubic"), New: new("bbr")}, true},
		"another key":           {Change{Kind: Sysctl, Key: "kernel.core_pattern", Old: new("core"), New: new("|/bin/sh")}, false},
		"a key with a path":     {Change{Kind: Sysctl, Key: "net.ipv4.tcp_rmem/../../../kernel/modprobe", New: new("x")}, false},
		"a value of two lines":  {Change{Kind: Sysctl, Key: keyCC, Old: new("cubic\nreno"), New: new("bbr")}, false},
		"a module":              {Change{Kind: Module, Key: moduleBBR, New: new(loaded)}, true},
		"another module":        {Change{Kind: Module, Key: "../evil", New: new(loaded)}, false},
		"a device":              {Change{Kind: Qdisc, Key: "eth0", Old: Encode(QdiscValue{Kind: "pfifo_fast"}), New: Encode(QdiscValue{Kind: fq})}, true},
		"no device":             {Change{Kind: Qdisc, Key: "../eth0", New: Encode(QdiscValue{Kind: fq})}, false},
		"no qdisc":              {Change{Kind: Qdisc, Key: "eth0", New: new("fq")}, false},
		"a route":               {Change{Kind: Route, Key: RouteKey{Prefix: "100.64.0.0/10", Device: "wg0"}.String(), New: Encode(RouteValue{CC: bbr})}, true},
		"no route":              {Change{Kind: Route, Key: "default", New: Encode(RouteValue{CC: bbr})}, false},
		"an own file":           {Change{Kind: File, Key: SysctlFile, New: file("x")}, true},
		"its directory":         {Change{Kind: File, Key: "/etc/sysctl.d", New: Encode(FileValue{Dir: true, Mode: 0o755})}, true},
		"another directory":     {Change{Kind: File, Key: "/etc/cron.d", New: Encode(FileValue{Dir: true, Mode: 0o755})}, false},
		"another file":          {Change{Kind: File, Key: "/etc/shadow", Old: file("root::0:"), New: file("x")}, false},
		"a file of sysctls":     {Change{Kind: File, Key: "/etc/sysctl.conf", Old: file("a = 1\nb = 2\n"), New: file("a = 1\n" + disabled + "b = 2\n")}, true},
		"what is not disabled":  {Change{Kind: File, Key: "/etc/sysctl.conf", Old: file("a = 1\n"), New: file("kernel.core_pattern = |x\n")}, false},
		"a way out":             {Change{Kind: File, Key: "/etc/sysctl.d/../../root/x.conf", Old: file("a"), New: file("a")}, false},
		"another kind of thing": {Change{Kind: "exec", Key: "/bin/sh"}, false},
	} {
		if err := c.Admissible(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
