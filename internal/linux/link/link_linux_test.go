package link

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"unchoke/internal/linux/netns/netnstest"
	"unchoke/internal/linux/rtnl"
)

func skipIfLacking(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, unix.EOPNOTSUPP) {
		t.Skipf("this kernel cannot: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCardOnACable(t *testing.T) {
	middle, host := netnstest.New(t), netnstest.New(t)
	mac := net.HardwareAddr{2, 0, 0, 0, 0, 1}
	err := middle.Do(func() error {
		cable := Cable(End{Name: "wire", Index: 5, MAC: mac}, End{Name: "port", Index: 7}, 1400)
		skipIfLacking(t, rtnl.Do(append(cable, NIC(End{Name: "eth0", Index: 3}, 5, 1400, host.Fd()))...))
		for name, want := range map[string]int{"wire": 5, "port": 7} {
			if dev, err := Find(name); err != nil || dev != want {
				t.Errorf("%s has index %d (%v), want %d", name, dev, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = host.Do(func() error {
		dev, err := Find("eth0")
		if err != nil || dev != 3 {
			t.Errorf("eth0 has index %d", dev)
			return err
		}
		self, peer := netip.MustParsePrefix("fd00::1/64"), netip.MustParseAddr("fd00::2")
		if err := rtnl.Do(Up(dev, "eth0"), Address(dev, self), Neighbour(dev, peer, mac)); err != nil {
			return err
		}

		card, err := netlink.LinkByIndex(dev)
		if err != nil {
			return err
		}
		if a := card.Attrs(); a.HardwareAddr.String() != mac.String() || a.MTU != 1400 {
			t.Errorf("the card has MAC %v and MTU %d", a.HardwareAddr, a.MTU)
		}
		addrs, err := netlink.AddrList(card, netlink.FAMILY_V6)
		if err != nil {
			return err
		}
		found := false
		for _, a := range addrs {
			if a.IP.Equal(self.Addr().AsSlice()) {
				found = a.Flags&unix.IFA_F_TENTATIVE == 0
			}
		}
		if !found {
			t.Errorf("%v is not usable at once: %v", self, addrs)
		}
		neighbours, err := netlink.NeighList(dev, netlink.FAMILY_V6)
		if err != nil {
			return err
		}
		for _, n := range neighbours {
			if n.IP.Equal(peer.AsSlice()) && n.State == netlink.NUD_PERMANENT && n.HardwareAddr.String() == mac.String() {
				return nil
			}
		}
		t.Errorf("%v is no permanent neighbour: %v", peer, neighbours)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoSuchDevice(t *testing.T) {
	err := netnstest.New(t).Do(func() error {
		_, err := Find("nowhere")
		return err
	})
	const want = "find device nowhere: Link not found"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
