package survey

import (
	"bufio"
	"compress/gzip"
	"io"
	"io/fs"
	"strings"
)

// builtWith reads the defaults that a kernel was built with from its
// configuration, which most distributions install beside it and some kernels
// show; empty where neither is there.
func builtWith(root fs.FS, release string) (cc, qdisc string) {
	for _, name := range []string{"boot/config-" + release, "lib/modules/" + release + "/config", "usr/lib/modules/" + release + "/config", "proc/config.gz"} {
		f, err := root.Open(name)
		if err != nil {
			continue
		}
		defer f.Close()
		var text io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			unpacked, err := gzip.NewReader(f)
			if err != nil {
				continue
			}
			text = unpacked
		}
		return defaults(text)
	}
	return "", ""
}

func defaults(config io.Reader) (cc, qdisc string) {
	qdisc = "pfifo_fast" // where CONFIG_NET_SCH_DEFAULT is off
	for lines := bufio.NewScanner(config); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), "=")
		value = strings.Trim(value, `"`)
		switch key {
		case "CONFIG_DEFAULT_TCP_CONG":
			cc = value
		case "CONFIG_DEFAULT_NET_SCH":
			qdisc = value
		}
	}
	return cc, qdisc
}
