package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"unchoke/internal/lab/kernel"
)

const kernelDocs = "/usr/share/doc/unchoke-lab-kernel"

// kernel packages the lab's kernel for amd64: what `unchoke lab kernel build`
// makes of the distribution's source, with all that the GPL asks for beside the
// source itself: where it is, the configuration, and our edits as a patch.
func (b *builder) kernel(ctx context.Context) error {
	dir, err := kernel.Dir()
	if err != nil {
		return err
	}
	info, err := kernel.Build(ctx, kernel.Options{Dir: dir})
	if err != nil {
		return err
	}
	from, err := kernel.ReadOrigin(ctx, info)
	if err != nil {
		return err
	}
	if from.Package == "" {
		return fmt.Errorf("%s is of no package: nobody could be told where to get the source", info.Source)
	}
	image, err := os.ReadFile(info.Path)
	if err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join(filepath.Dir(info.Path), "config"))
	if err != nil {
		return err
	}
	place := kernel.System + "/" + info.Key
	info.Path, info.Source = place+"/linux", filepath.Base(info.Source)
	info.SourceName, info.SourceHash = from.Package, from.SHA256
	// When and how long it was built is of no kernel but this machine's.
	info.BuiltAt, info.BuildTimeS = b.commit.time, 0
	about, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	var readme bytes.Buffer
	fmt.Fprintf(&readme, kernelReadme, info.Version, from.Package, info.Source, from.SHA256, info.Key)
	return b.pack(ctx, parcel{
		name: "unchoke-lab-kernel", licence: "GPL-2.0-only",
		summary: "kernel of unchoke's lab",
		about:   "The lab emulates network paths in virtual time on a User-Mode Linux kernel: an\nordinary program, which does not replace the host's kernel.",
		files: []file{
			{place + "/linux", 0o755, image},
			{place + "/config", 0o644, config},
			{place + "/info.json", 0o644, append(about, '\n')},
			{kernelDocs + "/edits.patch", 0o644, from.Patch},
			{kernelDocs + "/README.md", 0o644, readme.Bytes()},
			{kernelDocs + "/copyright", 0o644, from.Licence},
		},
	}, targets[0])
}

const kernelReadme = `# The lab's kernel

This is Linux %[1]s as a program (User-Mode Linux), under the GNU General Public
License, version 2: see copyright. It was built, with no other change than
edits.patch and with the configuration in %[5]s/config, from

    %[2]s   (file %[3]s, SHA-256 %[4]s)

which the distribution's mirrors have (apt-get install %[2]s), and snapshot.debian.org
for good. The source's own tar inside that package is what was compiled.

The same kernel, and any other, is built by: unchoke lab kernel build
`
