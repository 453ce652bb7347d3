package rtnl

import (
	"encoding/hex"
	"errors"
	"net"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"unchoke/internal/linux/netns/netnstest"
)

// up asks for a device to be raised, with so many bytes more than are needed.
func up(what string, dev uint32, more int) Request {
	body := U32(make([]byte, 4, unix.SizeofIfInfomsg), dev)
	body = U32(U32(body, unix.IFF_UP), unix.IFF_UP)
	if more > 0 {
		const unknown = 0x3000
		body = Attr(body, unknown, make([]byte, more))
	}
	return Request{What: what, Kind: "such device", Type: unix.RTM_NEWLINK, Body: body}
}

// More requests than one message takes are all made, in their order.
func TestAllAreMade(t *testing.T) {
	var requests []Request
	for range 40 {
		requests = append(requests, up("raise lo", 1, 5001))
	}
	err := netnstest.New(t).Do(func() error {
		if err := Do(requests...); err != nil {
			return err
		}
		lo, err := net.InterfaceByName("lo")
		if err == nil && lo.Flags&net.FlagUp == 0 {
			t.Error("lo is not up")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The error is of the request that failed, wherever it stands.
func TestWhichFailed(t *testing.T) {
	ok := up("raise lo", 1, 0)
	for place := range 3 {
		requests := []Request{ok, ok, ok}
		requests[place] = up("raise nothing", 4711, 0)
		err := netnstest.New(t).Do(func() error { return Do(requests...) })
		if !errors.Is(err, unix.ENODEV) || !strings.HasPrefix(err.Error(), "raise nothing: ") {
			t.Errorf("request %d failed: %v", place, err)
		}
	}
}

func TestWhatTheKernelLacks(t *testing.T) {
	r := Request{What: "add netem on eth0", Kind: "netem"}
	const want = "add netem on eth0: this kernel has no netem: no such file or directory"
	if err := r.failed(unix.ENOENT); err.Error() != want || !errors.Is(err, unix.ENOENT) {
		t.Errorf("%v, want %s", err, want)
	}
}

func FuzzParseAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "24000000020000000100000000000000" + "feffffff" + "24000000", // ENOENT of request 1
		"24000000020000000000000000000000" + "00000000", "24000000030000000000000000000000" + "00000000",
	} {
		b, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, 2)
	}
	f.Fuzz(func(t *testing.T, b []byte, requests int) {
		if requests < 1 {
			return
		}
		if number, _, err := parseAnswer(b, requests); err == nil && (number < 0 || number >= requests) {
			t.Errorf("%x is for request %d of %d", b, number, requests)
		}
	})
}

func TestParseAnswer(t *testing.T) {
	b, err := hex.DecodeString("24000000020000000100000000000000feffffff")
	if err != nil {
		t.Fatal(err)
	}
	if number, errno, err := parseAnswer(b, 2); number != 1 || errno != unix.ENOENT || err != nil {
		t.Errorf("request %d, %v, %v", number, errno, err)
	}
}
