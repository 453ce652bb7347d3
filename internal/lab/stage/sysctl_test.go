package stage

import "testing"

func TestSettingFile(t *testing.T) {
	for _, c := range []struct{ text, file, value string }{
		{"net.ipv4.tcp_rmem=4096 131072 6291456", "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456"},
		{"net/ipv4/tcp_sack = 0", "/proc/sys/net/ipv4/tcp_sack", "0"},
		{"net/ipv4/conf/eth0.1/forwarding=1", "/proc/sys/net/ipv4/conf/eth0.1/forwarding", "1"},
		{"net.ipv4.conf.eth0/1.forwarding=1", "/proc/sys/net/ipv4/conf/eth0.1/forwarding", "1"},
		{"/../../etc/passwd=x", "/proc/sys/etc/passwd", "x"},
		{"kernel.core_pattern=a=b", "/proc/sys/kernel/core_pattern", "a=b"},
	} {
		s, err := parseSetting(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if s.file() != c.file || s.value != c.value {
			t.Errorf("%q: %q to %s, want %q to %s", c.text, s.value, s.file(), c.value, c.file)
		}
	}
	for _, bad := range []string{"", "net.ipv4.tcp_sack", "=1", "net.ipv4.tcp_sack="} {
		if err := CheckSettings([]string{bad}); err == nil {
			t.Errorf("%q was taken for a setting", bad)
		}
	}
}
