package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"unchoke/internal/lab/guest"
	"unchoke/internal/remote/sshd"
)

// initScript is the init of a machine: this host's files, with /etc, /run and
// /var/lib of its own, and sshd.
const initScript = `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t tmpfs run /run
mkdir -p /run/etc /run/sshd /run/home
mkdir -m 1777 /run/ansible
cp -a /etc/. /run/etc
rm -rf /run/etc/sysctl.d /run/etc/sysctl.conf /run/etc/modules-load.d
mkdir /run/etc/sysctl.d /run/etc/modules-load.d
mount --bind /run/etc /etc
mount -t tmpfs lib /var/lib
mount -t tmpfs tmp /var/tmp
mkdir -p /dev/pts
mount -t devpts pts /dev/pts
ip link set lo up
ip link set vec0 name eth0
ip addr add %s/16 dev eth0
ip link set eth0 up
exec %s -D -f %s
`

// boot boots a host that is a machine with a kernel of its own, in which there is
// no BBR: Debian's User-Mode Linux, whose modules are not on its disk. It has
// reno and cubic.
func boot(ctx context.Context, keys *sshd.Server, root string, n int) (*host, error) {
	image, err := guest.Get(ctx, guest.Bookworm)
	if err != nil {
		return nil, err
	}
	h := newHost(root, n)
	h.config = filepath.Join(root, "ssh_config")
	if err := os.MkdirAll(h.dir, 0o755); err != nil {
		return nil, err
	}
	program, err := sshd.Program("sshd")
	if err != nil {
		return nil, err
	}
	init := filepath.Join(h.dir, "init")
	if err := os.WriteFile(init, fmt.Appendf(nil, initScript, h.address, program, keys.Config), 0o755); err != nil {
		return nil, err
	}
	err = shell(`nsenter --net --target $(cat "$2") sh -ec "ip tuntap add $1 mode tap; ip link set $1 master br0; ip link set $1 up"`, h.name, h.mid())
	if err != nil {
		return nil, err
	}
	mid, err := os.ReadFile(h.mid())
	if err != nil {
		return nil, err
	}
	// One CPU: its system calls switch between two processes.
	h.holder = exec.Command("nsenter", "--net", "--target", strings.TrimSpace(string(mid)), "taskset", "--cpu-list", "0", image.Kernel,
		"mem=256M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "init="+init, "vec0:transport=tap,ifname="+h.name+",depth=128,gro=1",
		"con=null", "con0=null,fd:1", "ssl=null", "umid=guest", "uml_dir="+h.dir, "quiet")
	log, err := os.Create(filepath.Join(h.dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	h.holder.Stdout, h.holder.Stderr = log, log
	if err := h.holder.Start(); err != nil {
		return nil, err
	}
	for range 60 {
		if h.before, err = h.run(stateScript); err == nil {
			return h, nil
		}
		time.Sleep(time.Second)
	}
	said, _ := os.ReadFile(log.Name())
	return nil, fmt.Errorf("%w: %s", err, said)
}
