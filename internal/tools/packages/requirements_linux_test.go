package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a script: a machine without any of the programs, whose apt-get says
// what it was asked for and which services it may start.
const machine = `set -eu
dir=$1; shift
mkdir "$dir/bin" "$dir/sbin"
for name in bash cat chmod cut env grep head id rm sort tail tr; do ln -s "$(command -v $name)" "$dir/bin/"; done
cat >"$dir/bin/apt-get" <<'APT'
#!/bin/bash
echo "apt-get $*"
for name in nginx.service caddy prometheus ssh.socket cron; do
  if [ -x /usr/sbin/policy-rc.d ]; then
    /usr/sbin/policy-rc.d "$name" start && status=0 || status=$?
    echo "$name $status"
  fi
done
exit ${APT:-0}
APT
printf '#!/bin/bash\n' >"$dir/bin/apt-cache"
printf '#!/bin/bash\necho "systemctl $*"\n' >"$dir/bin/systemctl"
chmod 755 "$dir"/bin/{apt-get,apt-cache,systemctl}
if [ -n "${POLICY-}" ]; then
  printf '%s' "$POLICY" >"$dir/sbin/policy-rc.d"
  chmod 755 "$dir/sbin/policy-rc.d"
fi
mount --bind "$dir/sbin" /usr/sbin
mount --bind "$dir/sbin" /sbin
PATH=$dir/bin /bin/bash scripts/requirements "$@" 2>&1 || echo "status $?"
if [ -e /usr/sbin/policy-rc.d ]; then echo left:; cat /usr/sbin/policy-rc.d; fi
`

func require(t *testing.T, env string, args ...string) string {
	t.Helper()
	cmd := exec.Command("unshare", append([]string{"--map-root-user", "--mount", "bash", "-c", machine, "machine", t.TempDir()}, args...)...)
	cmd.Env = append(os.Environ(), env)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// The demo installs what it needs and no server; the tests install servers, of
// which none is started, and nothing is left that would forbid it later.
func TestRequirements(t *testing.T) {
	if err := exec.Command("unshare", "--map-root-user", "--mount", "true").Run(); err != nil {
		t.Skipf("no namespaces here: %v", err)
	}
	if found, err := filepath.Glob("/usr/src/linux-source-*.tar.*"); err != nil || len(found) == 0 {
		t.Skipf("needs kernel source: make requirements: %v", err)
	}
	lab := require(t, "", "lab")
	for _, name := range []string{" gcc", " iperf3", " xz-utils"} {
		if !strings.Contains(lab, name) {
			t.Errorf("for the demo there is no%s:\n%s", name, lab)
		}
	}
	for _, name := range []string{"nginx", "caddy", "prometheus", "openssh", "chromium", "rpm", "mmdebstrap", "rsync", "systemctl", "left:"} {
		if strings.Contains(lab, name) {
			t.Errorf("for the demo there is %s:\n%s", name, lab)
		}
	}
	for _, c := range []struct {
		env  string
		want []string
		not  []string
	}{
		{"", []string{" gcc", " nginx ", " openssh-server", "\nnginx.service 101\n", "\ncaddy 101\n", "\nprometheus 101\n", "\nssh.socket 101\n", "\ncron 0\n", "systemctl disable --quiet nginx.service\n", "systemctl disable --quiet ssh.socket\n"}, []string{"status", "left:", "cron.service"}},
		{"APT=100", []string{"\nnginx.service 101\n", "status 100"}, []string{"left:", "systemctl"}},
		{"POLICY=#!/bin/sh\nexit 104\n", []string{"\nnginx.service 104\n", "left:\n#!/bin/sh\nexit 104\n"}, []string{"status"}},
		{"POLICY=# written by scripts/apt-install of unchoke, killed\n", []string{"\nnginx.service 101\n"}, []string{"left:", "status"}},
	} {
		out := require(t, c.env)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%q: %q is missing in\n%s", c.env, want, out)
			}
		}
		for _, not := range c.not {
			if strings.Contains(out, not) {
				t.Errorf("%q: %q is in\n%s", c.env, not, out)
			}
		}
	}
}
