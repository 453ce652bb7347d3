#!/bin/sh
# Turns the root that mmdebstrap has made, $1, into an image in $2: a kernel and
# a disk. Runs as root, or as root of mmdebstrap's user namespace.
set -e
root=$1
out=$2

# The kernel looks for its modules where every kernel does.
release=$(ls "$root/usr/lib/uml/modules")
mv "$root/usr/lib/uml/modules" "$root/usr/lib/modules"
chroot "$root" depmod "$release"

# The one program of a boot: a script of the host's, then the end.
cat >"$root/etc/systemd/system/scenario.service" <<'UNIT'
[Unit]
Description=what the test wants done
After=basic.target systemd-sysctl.service systemd-modules-load.service

[Service]
Type=oneshot
Environment=HOME=/root
ExecStart=/bin/sh -c 'mkdir -p /run/share && mount -t hostfs none /run/share && exec /bin/sh /run/share/script >/run/share/output 2>&1'
ExecStopPost=/bin/systemctl --no-block poweroff
UNIT
cat >"$root/etc/systemd/system/scenario.target" <<'UNIT'
[Unit]
Description=up to the test's script
Requires=basic.target scenario.service
After=basic.target scenario.service
UNIT
ln -sf scenario.target "$root/etc/systemd/system/default.target"
echo guest >"$root/etc/hostname"
: >"$root/etc/fstab"

# What has nothing to do with the network takes most of a boot: an instruction
# of a guest's is cheap, and a process is not.
for unit in \
  systemd-udev-trigger.service systemd-journal-flush.service systemd-random-seed.service \
  systemd-update-utmp.service systemd-pcrphase-sysinit.service systemd-binfmt.service \
  systemd-sysusers.service systemd-tmpfiles-setup-dev.service kmod-static-nodes.service \
  modprobe@.service proc-sys-fs-binfmt_misc.automount dev-hugepages.mount dev-mqueue.mount \
  sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount \
  sys-kernel-config.mount timers.target; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done

rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/usr/share/doc/* \
  "$root"/usr/share/man/* "$root"/usr/share/locale/*
cp "$root/usr/bin/linux.uml" "$out/linux"
rm "$root/usr/bin/linux.uml"
PATH=$PATH:/usr/sbin:/sbin
# Without what is mounted on it meanwhile: /proc, /sys.
mkdir "$out/root"
mount --bind "$root" "$out/root"
mke2fs -q -t ext4 -m 0 -d "$out/root" "$out/disk" 512M
umount "$out/root"
rmdir "$out/root"
