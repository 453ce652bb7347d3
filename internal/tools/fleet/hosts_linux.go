package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"unchoke/internal/remote/sshd"
)

// host is one of the fleet: namespaces of its own with /etc, /run and /var/lib
// that belong to it alone, and a real sshd.
type host struct {
	name    string
	address string
	user    string
	dir     string
	pid     int // of its first process, as this namespace has it
	holder  *exec.Cmd
	sshd    *exec.Cmd
	config  string // of ssh, for a host that has a kernel of its own
	before  string // its state
}

// The rates that the paths carry, by a token bucket in the network between.
const (
	pathRate = "200mbit"
	slowRate = "40mbit"
)

// holdScript makes a host's files its own, and waits.
const holdScript = `set -e
mount --make-rprivate /
mkdir -p "$1/etc" "$1/lib"
cp -a /etc/. "$1/etc"
rm -rf "$1/etc/sysctl.d" "$1/etc/sysctl.conf" "$1/etc/sudoers.d" "$1/etc/modules-load.d"
mkdir "$1/etc/sysctl.d" "$1/etc/sudoers.d" "$1/etc/modules-load.d"
mount --bind "$1/etc" /etc
mount -t tmpfs none /run
mount --bind "$1/lib" /var/lib
mkdir -p /run/sshd /run/home
mkdir -m 1777 /run/ansible
echo "guest:x:7654:7654::/run/home:/bin/sh" >>/etc/passwd
echo "guest:*:19000:0:99999:7:::" >>/etc/shadow
chown 7654 /run/home
ip link set lo up
sysctl -qw net.ipv4.tcp_congestion_control=reno
%s
echo ready
exec cat
`

// stateScript prints all that a rollout may change, but for journals.
const stateScript = `sysctl net.ipv4.tcp_congestion_control net.ipv4.tcp_wmem net.ipv4.tcp_rmem
tc qdisc show dev eth0
find /etc -xdev -printf '%p %m %U %G %l\n' | sort | sha256sum
find /etc -xdev -type f -exec sha256sum {} + | sort | sha256sum`

// network makes the bridge that joins this host and the others.
func network(root string) error {
	return shell(`
ip link set lo up
unshare --net sleep infinity & mid=$!
echo $mid >"$1"
until [ "$(readlink /proc/$mid/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add near0 type veth peer name up0 netns $mid
ip addr add 10.88.0.1/16 dev near0
ip link set near0 up
tc qdisc add dev near0 root tbf rate `+pathRate+` burst 64k latency 20ms
nsenter --net --target $mid sh -ec '
ip link add br0 type bridge
ip link set up0 master br0
ip link set up0 up
ip link set br0 up
tc qdisc add dev up0 root tbf rate `+pathRate+` burst 64k latency 20ms
'
`, midFile(root))
}

// midFile has the process that holds the network between the hosts.
func midFile(root string) string { return filepath.Join(root, "mid") }

// mid is that of a host.
func (h *host) mid() string { return midFile(filepath.Dir(h.dir)) }

func shell(script string, args ...string) error {
	cmd := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

func newHost(root string, n int) *host {
	return &host{
		name: fmt.Sprintf("h%02d", n), address: fmt.Sprintf("10.88.%d.%d", 1+n/200, 1+n%200), user: "root",
		dir: filepath.Join(root, fmt.Sprintf("h%02d", n)),
	}
}

// start starts a host; extra is what its broken kind does first.
func start(keys *sshd.Server, root string, n int, extra string) (*host, error) {
	h := newHost(root, n)
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return nil, err
	}
	h.holder = exec.Command("unshare", "--mount", "--net", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc", "sh", "-c", fmt.Sprintf(holdScript, extra), "sh", h.dir)
	out, err := h.holder.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if _, err := h.holder.StdinPipe(); err != nil {
		return nil, err
	}
	h.holder.Stderr = os.Stderr
	if err := h.holder.Start(); err != nil {
		return nil, err
	}
	word := make([]byte, 5)
	if _, err := out.Read(word); err != nil || string(word) != "ready" {
		return nil, fmt.Errorf("host %s: %q, %w", h.name, word, errors.Join(err, errors.New("it did not start")))
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", h.holder.Process.Pid, h.holder.Process.Pid))
	if err != nil {
		return nil, err
	}
	if h.pid, err = strconv.Atoi(strings.TrimSpace(string(children))); err != nil {
		return nil, err
	}
	err = shell(`mid=$(cat "$4")
ip link add eth0 netns "$1" type veth peer name "$3" netns $mid
nsenter --net --target "$1" sh -ec "ip addr add $2/16 dev eth0; ip link set eth0 up"
nsenter --net --target $mid sh -ec "ip link set $3 master br0; ip link set $3 up; tc qdisc add dev $3 root tbf rate `+pathRate+` burst 64k latency 20ms"
`, strconv.Itoa(h.pid), h.address, h.name, h.mid())
	if err != nil {
		return nil, err
	}
	if err := h.serve(keys); err != nil {
		return nil, err
	}
	h.before, err = h.run(stateScript)
	return h, err
}

// serve starts sshd there.
func (h *host) serve(keys *sshd.Server) error {
	program, err := sshd.Program("sshd")
	if err != nil {
		return err
	}
	h.sshd = h.command(program, "-D", "-f", keys.Config)
	return h.sshd.Start()
}

func (h *host) command(name string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"--target", strconv.Itoa(h.pid), "--mount", "--net", "--pid", "--uts", "--", name}, args...)...)
}

// run runs a shell command there as root.
func (h *host) run(script string) (string, error) {
	cmd := h.command("sh", "-c", script)
	if h.config != "" {
		cmd = exec.Command("ssh", "-F", h.config, "-o", "ConnectTimeout=60", "root@"+h.address, script)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", h.name, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// rate is what the host can receive from now on.
func (h *host) rate(rate string) error {
	return shell(`nsenter --net --target $(cat "$3") tc qdisc change dev "$1" root tbf rate "$2" burst 64k latency 20ms`, h.name, rate, h.mid())
}

// cc is the host's congestion control; empty where it cannot be asked.
func (h *host) cc() string {
	out, _ := h.run("sysctl -n net.ipv4.tcp_congestion_control")
	return out
}
