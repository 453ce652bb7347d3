package tcpinfo

import (
	"net"
	"testing"
)

func TestGet(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	info, err := Get(raw)
	if err != nil {
		t.Fatal(err)
	}
	if info.State != Established || info.SndMSS < 536 || info.SndCwnd == 0 || info.RTO == 0 || !info.Has(FieldTotalRetrans) {
		t.Errorf("%+v", info)
	}
	name, cc, err := GetCC(raw)
	if err != nil || name == "" || (name == "bbr") != (cc.BBR != nil) {
		t.Errorf("%q, %+v, %v", name, cc, err)
	}
	conn.Close()
	if info, err := Get(raw); err == nil {
		t.Errorf("of a closed connection: %+v", info)
	}
}
