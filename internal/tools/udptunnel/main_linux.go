// Udptunnel is a tunnel of the plainest kind: what enters its TUN device leaves
// in UDP, one packet a datagram, and the other way round. Nothing is encrypted.
// Its socket's buffer can be made as small as those of programs that do not ask
// for one, and it can be made to read as rarely as a program does that has other
// work in between, so that bursts overflow it: for benches and tests of the
// cause socket-drops.
//
//	udptunnel -device tun0 -address 10.99.0.1/24 -local 10.0.0.1:4000 -peer 10.0.0.2:4000 -buffer 16384 -pause 5ms
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/tools/tool"
)

func main() { tool.Main("udptunnel", run) }

// mtu leaves room for the outer headers in 1500 bytes: 20 of IPv4, 8 of UDP.
const mtu = 1472

func run(_ context.Context, args []string, _, stderr io.Writer) error {
	flags := flag.NewFlagSet("udptunnel", flag.ContinueOnError)
	flags.SetOutput(stderr)
	device := flags.String("device", "tun0", "to make")
	address := flags.String("address", "", "of this host inside, with the length of its prefix")
	local := flags.String("local", "", "address and port outside")
	peer := flags.String("peer", "", "address and port outside")
	buffer := flags.Int("buffer", 0, "bytes that the socket is to hold (SO_RCVBUF); 0 is the system's default")
	pause := flags.Duration("pause", 0, "between two readings of the socket, each of all that waits")
	if err := flags.Parse(args); err != nil {
		return err
	}
	from, err := netip.ParseAddrPort(*local)
	if err != nil {
		return fmt.Errorf("local: %w", err)
	}
	to, err := netip.ParseAddrPort(*peer)
	if err != nil {
		return fmt.Errorf("peer: %w", err)
	}
	tun, err := open(*device)
	if err != nil {
		return err
	}
	defer tun.Close()
	for _, args := range [][]string{
		{"address", "add", *address, "dev", *device},
		{"link", "set", *device, "mtu", strconv.Itoa(mtu), "up"},
	} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %v: %w: %s", args, err, out)
		}
	}
	socket, err := net.DialUDP("udp", net.UDPAddrFromAddrPort(from), net.UDPAddrFromAddrPort(to))
	if err != nil {
		return err
	}
	defer socket.Close()
	if *buffer > 0 {
		if err := socket.SetReadBuffer(*buffer); err != nil {
			return err
		}
	}
	failed := make(chan error, 2)
	go func() { failed <- outwards(socket, tun) }()
	go func() { failed <- inwards(tun, socket, *pause) }()
	return <-failed
}

// open makes a TUN device whose packets come without a header of its own.
func open(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, fmt.Errorf("make device %s: %w", name, err)
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "/dev/net/tun"), nil
}

// outwards passes on what this host sends. A peer that is not there yet refuses.
func outwards(socket *net.UDPConn, tun *os.File) error {
	packet := make([]byte, 1<<16)
	for {
		n, err := tun.Read(packet)
		if err != nil {
			return err
		}
		if _, err := socket.Write(packet[:n]); err != nil && !errors.Is(err, unix.ECONNREFUSED) {
			return err
		}
	}
}

// inwards passes on what arrives: all that waits, then it does something else.
func inwards(tun *os.File, socket *net.UDPConn, pause time.Duration) error {
	packet := make([]byte, 1<<16)
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	for {
		n, err := socket.Read(packet) // waits for the first
		for err == nil {
			if _, err := tun.Write(packet[:n]); err != nil {
				return err
			}
			if control := raw.Read(func(fd uintptr) bool {
				n, err = unix.Read(int(fd), packet)
				return true
			}); control != nil {
				return control
			}
		}
		if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.ECONNREFUSED) {
			return err
		}
		time.Sleep(pause)
	}
}
