#!/bin/sh
# Makes managed hosts within one machine: NAME NUMBER pairs as arguments, each a
# network namespace at 10.9.0.NUMBER with a root file system of its own above this
# one's and a real sshd. The program UNCHOKE is /run/fleet/unchoke on each, wherever
# it lies here: a host has a /tmp and a /run of its own.
#
#   ./private sh -c 'sh hosts.sh /run/fleet a 1 b 2 && …'
set -eu

work=$1
shift
mkdir -p "$work"
mount -t tmpfs fleet "$work"
ssh-keygen -q -t ed25519 -N '' -f "$work/key"
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key"
touch "$work/unchoke"
mount --bind "$UNCHOKE" "$work/unchoke"

ip link set lo up
ip link add fleet0 type bridge
ip addr add 10.9.0.254/24 dev fleet0
ip link set fleet0 up

while [ $# -gt 0 ]; do
  name=$1 number=$2
  shift 2
  dir=$work/$name
  mkdir -p "$dir/upper" "$dir/work" "$dir/root"
  ip netns add "$name"
  ip link add "fleet-$name" type veth peer name eth0 netns "$name"
  ip link set "fleet-$name" master fleet0 up
  ip -n "$name" addr add "10.9.0.$number/24" dev eth0
  ip -n "$name" link set lo up
  ip -n "$name" link set eth0 up
  # Whatever this machine's own is; a namespace may always use reno.
  ip netns exec "$name" sysctl -q -w net.ipv4.tcp_congestion_control=reno

  mount -t overlay overlay -o "lowerdir=/,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
  for place in run tmp; do mount -t tmpfs "$place" "$dir/root/$place"; done
  mount --rbind /dev "$dir/root/dev"
  mkdir -p "$dir/root/run/sshd" "$dir/root/run/fleet"
  touch "$dir/root/run/fleet/unchoke"
  mount --bind "$UNCHOKE" "$dir/root/run/fleet/unchoke"
  cp "$work/key.pub" "$dir/root/run/fleet/authorized_keys"
  cp "$work/host_key" "$dir/root/run/fleet/host_key"
  # So that a plan has a file for the next boot too, whatever the kernel's default.
  echo 'net.ipv4.tcp_congestion_control = reno' >"$dir/root/etc/sysctl.d/10-fleet.conf"
  # Its /proc and /sys are those of its network.
  ip netns exec "$name" unshare --mount sh -c '
    mount -t proc proc "$1/proc" && mount -t sysfs sysfs "$1/sys"
    exec chroot "$1" /usr/sbin/sshd -D -f /dev/null -o HostKey=/run/fleet/host_key \
      -o AuthorizedKeysFile=/run/fleet/authorized_keys -o StrictModes=no -o UsePAM=no \
      -o PidFile=/run/fleet/sshd.pid -o Subsystem="sftp internal-sftp"' sh "$dir/root" 2>"$work/$name.log" &
done

# All of them answer before anybody asks.
for pid in "$work"/*/root/run/fleet; do
  until [ -e "$pid/sshd.pid" ]; do sleep 0.1; done
done
