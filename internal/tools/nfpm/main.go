// Nfpm makes deb, rpm and apk packages: of each configuration that is named, in
// nfpm's format, the file that stands beside it in the arguments.
//
//	nfpm CONFIG PACKAGE.deb [CONFIG PACKAGE.rpm]…
//
// It is nfpm's own program without formats that unchoke does not use, and a
// module of its own so that nothing else depends on what nfpm does.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/deb"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

func main() {
	if len(os.Args)%2 == 0 {
		fail(fmt.Errorf("usage: nfpm CONFIG PACKAGE…"))
	}
	for args := os.Args[1:]; len(args) > 0; args = args[2:] {
		if err := pack(args[0], args[1]); err != nil {
			fail(err)
		}
	}
}

func pack(config, target string) error {
	format := strings.TrimPrefix(filepath.Ext(target), ".")
	all, err := nfpm.ParseFile(config)
	if err != nil {
		return fmt.Errorf("read %s: %w", config, err)
	}
	info, err := all.Get(format)
	if err != nil {
		return fmt.Errorf("%s: %w", config, err)
	}
	info = nfpm.WithDefaults(info)
	info.Target = target
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	f, err := os.Create(target)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := packager.Package(info, f); err != nil {
		return fmt.Errorf("make %s: %w", target, err)
	}
	return f.Close()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "nfpm:", err)
	os.Exit(1)
}
