package watching

import (
	"net"
	"testing"
)

func TestOwnUser(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Logf("no %s here: %v", address, err)
			continue
		}
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if err := OwnUser(server); err != nil {
			t.Errorf("%s: our own connection: %v", address, err)
		}
		client.Close()
		server.Close()
		if err := OwnUser(server); err == nil {
			t.Errorf("%s: admitted, though there is no connection any more", address)
		}
		l.Close()
	}
}

func TestAdmitted(t *testing.T) {
	for _, c := range []struct {
		uid  uint32
		euid int
		sudo string
		want bool
	}{
		{1000, 1000, "", true},
		{0, 1000, "", true},
		{1001, 1000, "", false},
		{1001, 1000, "1001", false}, // anybody can set a variable for a program of their own
		{1000, 0, "1000", true},
		{1000, 0, "", false},
		{65534, 0, "1000", false},
	} {
		if err := admitted(c.uid, c.euid, func(string) string { return c.sudo }); (err == nil) != c.want {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
