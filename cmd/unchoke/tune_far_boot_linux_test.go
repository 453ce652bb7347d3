package main

import (
	"flag"
	"strings"
	"testing"

	"unchoke/internal/lab/guest"
)

var long = flag.Bool("long", false, "run what boots far hosts: make bench-tune-far")

// farPrelude makes the booted host the far one of a link, with its real sshd. The
// near one is a network namespace there that has nothing but this program: it is
// brought along in each session.
const farPrelude = `
ip link set lo up
modprobe veth; ip netns add near; ip link add far0 type veth peer name near0 netns near
ip addr add 10.9.0.2/24 dev far0; ip link set far0 up
ip netns exec near sh -ec 'ip link set lo up; ip addr add 10.9.0.1/24 dev near0; ip link set near0 up'
mkdir -p /run/sshd /root/near /root/.ssh
[ -e /root/.ssh/id_ed25519 ] || ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
/usr/sbin/sshd
until ip netns exec near ssh-keyscan -t ed25519 10.9.0.2 >/root/.ssh/known_hosts 2>/dev/null && test -s /root/.ssh/known_hosts; do sleep 0.2; done
cp /run/share/unchoke /root/near/
on() { ip netns exec near /root/near/unchoke tune "$@" --on ssh://root@10.9.0.2 2>&1; echo "status $?"; }
left() { ls -d /run/unchoke* /tmp/unchoke* /var/lib/unchoke/tune/unchoke* 2>/dev/null; systemctl list-units --all --plain --no-legend 'unchoke*'; }
`

// On a far host with systemd the timer is a unit of that host's. A link that is
// cut as soon as the changes are made keeps the near end from confirming them: the
// timer takes them back, and nothing is left. With the link, they are confirmed
// and permanent; a power cut during a trial leaves the host as it was.
func TestLongTuneOnABootedHost(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: make bench-tune-far")
	}
	s := session{t, bootedHost(t, 0, "openssh-client", "openssh-server")}
	s.m.Memory = 512 // near's program, far's, and the timer's copy in /run
	first := s.boot(farPrelude + `
echo "== before"; state
on apply --yes --remedy bbr --timeout 20s >/run/said & near=$!
while [ "$(cc)" != bbr ]; do sleep 0.05; done
ip link set far0 down
echo "== cut"; cc; systemctl list-units --all --plain --no-legend --state=waiting 'unchoke*.timer'
while [ "$(cc)" = bbr ]; do sleep 0.5; done
while [ -n "$(left)" ]; do sleep 0.5; done
echo "== back"; state
ip link set far0 up
wait $near
echo "== said"; cat /run/said
echo "== status"; on status
echo "== applied"; on apply --yes --remedy bbr --timeout 300s; cc; left
echo "== reverted"; on revert
echo "== again"; state
echo "== tried"; on try --remedy bbr --timeout 600s; cc; sync
` + guest.PowerCut)
	s.contains(first, "cut", "bbr", "unchoke-revert-", "waiting")
	s.same("after the timer, with the link cut", first["back"], first["before"])
	// Whether the far end could still say that it had tried them is chance.
	s.contains(first, "said", "unchoke: ssh://root@10.9.0.2: ", "timer")
	if strings.Contains(first["said"], "status 0") {
		t.Errorf("said, with the link cut:\n%s", first["said"])
	}
	s.contains(first, "status", "no changes", "status 0")
	s.contains(first, "applied", "applied", "status 0\nbbr")
	s.contains(first, "reverted", "status 0")
	// The connection that asks for it was opened with BBR, and may still use it.
	s.contains(first, "reverted", "left: module tcp_bbr: it is in use")
	s.same("after the revert", strings.Replace(first["again"], "tcp_bbr\n", "", 1), first["before"])
	s.contains(first, "tried", "status 0\nbbr")

	second := s.boot(farPrelude + `
echo "== before"; state
echo "== left"; left; echo nothing
echo "== status"; on status
echo "== reverted"; on revert
echo "== none"; on status
`)
	s.same("after the power cut", second["before"], first["before"])
	s.same("left after the power cut", second["left"], "nothing")
	s.contains(second, "status", "interrupted")
	s.contains(second, "reverted", "status 0")
	s.contains(second, "none", "no changes")
	if t.Failed() {
		t.Logf("%+v\n%+v", first, second)
	}
}
