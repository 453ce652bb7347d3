package sysctl

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func tree(files map[string]string) Tree {
	m := fstest.MapFS{}
	for path, content := range files {
		m[path] = &fstest.MapFile{Data: []byte(content)}
	}
	return Tree{m}
}

var fixture = tree(map[string]string{
	"net/ipv4/tcp_rmem":                         "4096\t131072\t6291456\n",
	"net/ipv4/tcp_wmem":                         "4096\t16384\n", // truncated
	"net/ipv4/tcp_mem":                          "1 two 3\n",
	"net/ipv4/tcp_sack":                         "1\n",
	"net/ipv4/tcp_mtu_probing":                  "",
	"net/ipv4/tcp_available_congestion_control": "reno bbr cubic\n",
	"net/ipv4/conf/eth0.1/forwarding":           "0\n",
})

func TestValues(t *testing.T) {
	if v, err := fixture.Triple("net.ipv4.tcp_rmem"); err != nil || v != [3]int64{4096, 131072, 6291456} {
		t.Errorf("Triple: %v, %v", v, err)
	}
	if v, err := fixture.Bool("net.ipv4.tcp_sack"); err != nil || !v {
		t.Errorf("Bool: %v, %v", v, err)
	}
	if v, err := fixture.Bool("net.ipv4.conf.eth0/1.forwarding"); err != nil || v {
		t.Errorf("Bool: %v, %v", v, err)
	}
	v, err := fixture.Words("net.ipv4.tcp_available_congestion_control")
	if err != nil || !slices.Equal(v, []string{"reno", "bbr", "cubic"}) {
		t.Errorf("Words: %v, %v", v, err)
	}
}

func TestBadValues(t *testing.T) {
	for _, key := range []string{"net.ipv4.tcp_wmem", "net.ipv4.tcp_mem", "net.ipv4.tcp_mtu_probing"} {
		if v, err := fixture.Triple(key); err == nil || v != [3]int64{} {
			t.Errorf("Triple(%s) = %v, %v", key, v, err)
		}
	}
	for _, key := range []string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_mtu_probing"} {
		if v, err := fixture.Int(key); err == nil {
			t.Errorf("Int(%s) = %v", key, v)
		}
	}
	if _, err := fixture.Int("net.core.default_qdisc"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent key: %v", err)
	}
	if _, err := fixture.String("net/../../etc/passwd"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("key that leaves the tree: %v", err)
	}
}
