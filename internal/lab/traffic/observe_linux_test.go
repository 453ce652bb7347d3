package traffic

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/tcpinfo"
)

// netlink is a message with its header (struct nlmsghdr).
func netlink(kind uint16, body ...byte) []byte {
	b := make([]byte, 16, 16+len(body))
	binary.NativeEndian.PutUint32(b, uint32(16+len(body)))
	binary.NativeEndian.PutUint16(b[4:], kind)
	return append(b, body...)
}

// attribute is a struct nlattr with its padding.
func attribute(kind uint16, value ...byte) []byte {
	b := make([]byte, 4, (4+len(value)+3)&^3)
	binary.NativeEndian.PutUint16(b, uint16(4+len(value)))
	binary.NativeEndian.PutUint16(b[2:], kind)
	return append(b, value...)[:cap(b)]
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

const answerKind = 20 // SOCK_DIAG_BY_FAMILY

// tcpInfo is a struct tcp_info whose congestion window is 42 segments.
func tcpInfo() []byte {
	b := make([]byte, 104)                    // up to tcpi_total_retrans
	binary.NativeEndian.PutUint32(b[80:], 42) // tcpi_snd_cwnd, linux/tcp.h
	return b
}

func failed(errno unix.Errno) []byte {
	return netlink(unix.NLMSG_ERROR, binary.NativeEndian.AppendUint32(nil, uint32(-int32(errno)))...)
}

func TestDiagAnswer(t *testing.T) {
	head := make([]byte, 72) // struct inet_diag_msg
	good := netlink(answerKind, join(head, attribute(8, 0), attribute(2, tcpInfo()...), attribute(1, 1, 2, 3))...)
	info, err := diagAnswer(good)
	if err != nil || info.SndCwnd != 42 {
		t.Errorf("a window of %d, %v", info.SndCwnd, err)
	}
	for _, gone := range [][]byte{netlink(unix.NLMSG_DONE), failed(unix.ENOENT)} {
		if _, err := diagAnswer(gone); !errors.Is(err, errGone) {
			t.Errorf("% x: %v", gone, err)
		}
	}
	if _, err := diagAnswer(failed(unix.EPERM)); !errors.Is(err, unix.EPERM) {
		t.Errorf("refused: %v", err)
	}
	for _, c := range []struct {
		name   string
		answer []byte
		want   string
	}{
		{"nothing", nil, "answers 0 bytes"},
		{"half a header", good[:15], "answers 15 bytes"},
		{"a message cut off", good[:len(good)-1], "bytes of"},
		{"a length below its own", netlink(answerKind, head[:71]...), "87 bytes of"},
		{"no attributes", netlink(answerKind, head...), "without TCP_INFO"},
		{"another attribute", netlink(answerKind, join(head, attribute(8, 1))...), "without TCP_INFO"},
		{"an attribute of no length", netlink(answerKind, join(head, make([]byte, 8))...), "without TCP_INFO"},
		{"a short TCP_INFO", netlink(answerKind, join(head, attribute(2, 1, 2, 3))...), "parse tcp_info: 3 bytes"},
		{"an error without its number", netlink(unix.NLMSG_ERROR), "bytes of"},
	} {
		if _, err := diagAnswer(c.answer); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// No answer makes the decoder panic, and one that it takes has a whole
// TCP_INFO.
func FuzzDiagAnswer(f *testing.F) {
	head := make([]byte, 72)
	f.Add(netlink(answerKind, join(head, attribute(8, 0), attribute(2, tcpInfo()...))...))
	f.Add(netlink(unix.NLMSG_DONE))
	f.Add(failed(unix.ENOENT))
	f.Fuzz(func(t *testing.T, answer []byte) {
		info, err := diagAnswer(answer)
		if err == nil && (info.Length < tcpinfo.MinLength || info.Length > len(answer)) {
			t.Errorf("a TCP_INFO of %d bytes in an answer of %d", info.Length, len(answer))
		}
	})
}

// Looks are on both grids and where figures begin, each moment once.
func TestLooksOf(t *testing.T) {
	looks := looksOf(Spec{Duration: sec, Omit: 77 * ms}, 100*ms)
	series, previous := 0, -ms
	omit := false
	for _, l := range looks {
		if l.at <= previous || l.at > sec {
			t.Fatalf("a look at %v after one at %v", l.at, previous)
		}
		if l.inStats != (l.at%lookEvery == 0) || l.inSeries != (l.at%(100*ms) == 0) {
			t.Errorf("a look at %v: %+v", l.at, l)
		}
		if l.inSeries {
			series++
		}
		omit = omit || l.at == 77*ms
		previous = l.at
	}
	if want := int(sec/(100*time.Millisecond)) + 1; series != want || !omit {
		t.Errorf("%d samples, want %d; a look at the end of omit: %v", series, want, omit)
	}
}
