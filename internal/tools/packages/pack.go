package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// parcel is what goes into the packages of a name.
type parcel struct {
	name, licence  string
	summary, about string // a line, and what follows it
	suggests       []string
	files          []file
	scripts        map[string]moments // by format
}

// ours is the package unchoke.
func ours(files []file) parcel {
	return parcel{
		name: "unchoke", licence: "Apache-2.0",
		summary:  "find why one TCP stream is slow, and fix it",
		about:    "unchoke finds why one TCP stream is slow on a path that should be fast, proves\nthe cause, fixes it and verifies that the fix worked.",
		suggests: []string{"unchoke-lab-kernel", "iperf3"},
		files:    files, scripts: scripts,
	}
}

// pack makes the deb, rpm and apk packages of a parcel.
func (b *builder) pack(ctx context.Context, p parcel, t target) error {
	deb, rpm, apk := b.commit.versions()
	var args []string
	for _, f := range []struct{ format, arch, version, file string }{
		{"deb", t.deb, deb, fmt.Sprintf("%s_%s_%s.deb", p.name, deb, t.deb)},
		{"rpm", t.rpm, rpm, fmt.Sprintf("%s-%s-1.%s.rpm", p.name, rpm, t.rpm)},
		{"apk", t.apk, apk, fmt.Sprintf("%s-%s-r0.%s.apk", p.name, apk, t.apk)},
	} {
		config, err := b.configure(p, f.format, f.arch, f.version)
		if err != nil {
			return err
		}
		args = append(args, config, filepath.Join(b.out, f.file))
	}
	if _, err := output(ctx, []string{fmt.Sprintf("SOURCE_DATE_EPOCH=%d", b.commit.time.Unix())}, b.packer, args...); err != nil {
		return err
	}
	return squeeze(ctx, filepath.Join(b.out, fmt.Sprintf("%s_%s_%s.deb", p.name, deb, t.deb)))
}

// configure writes a package's files to the work directory, and nfpm's
// configuration of it, which is JSON since that is YAML too.
func (b *builder) configure(p parcel, format, arch, version string) (config string, err error) {
	dir := filepath.Join(b.work, p.name, format, arch)
	files := p.files
	switch format {
	case "rpm":
		files = moved(files, zshDir, zshElsewhere)
	case "apk": // Alpine has no systemd
		files = without(moved(files, zshDir, zshElsewhere), unitDir)
	}
	about := p.summary
	if format != "apk" { // one line is all that it has
		about += "\n" + p.about
	}
	var contents []map[string]any
	for i, f := range files {
		source := filepath.Join(dir, fmt.Sprint(i))
		if err := write(source, f.data, f.mode); err != nil {
			return "", err
		}
		contents = append(contents, map[string]any{
			"src": source, "dst": f.path,
			"file_info": map[string]any{"mode": f.mode, "owner": "root", "group": "root", "mtime": b.commit.time.Format(time.RFC3339)},
		})
	}
	named, err := writeScripts(dir, p.scripts[format])
	if err != nil {
		return "", err
	}
	for _, name := range named {
		if err := b.dated(name); err != nil {
			return "", err
		}
	}
	settings := map[string]any{
		"name": p.name, "arch": arch, "platform": "linux", "version": version, "version_schema": "none",
		"release": map[string]string{"deb": "", "rpm": "1", "apk": "0"}[format],
		"section": "net", "priority": "optional", "maintainer": maintainer, "vendor": "unchoke",
		"description": about, "license": p.licence, "disable_globbing": true,
		"mtime": b.commit.time.Format(time.RFC3339), "contents": contents, "scripts": named,
		"suggests": p.suggests, "depends": needs(format, named),
		"deb": map[string]any{"arch": arch, "compression": "xz"},
		"rpm": map[string]any{"arch": arch, "compression": "xz", "buildhost": "unchoke", "group": "Applications/Internet"},
		"apk": map[string]any{"arch": arch},
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return "", err
	}
	config = filepath.Join(dir, "nfpm.yaml")
	return config, write(config, text, 0o644)
}

// needs are the packages, or files of theirs, that one with these scripts depends
// on: what runs the scripts, and what they call, must be there before them. On
// Debian it always is; on Alpine the shell's package (busybox) has all of it.
func needs(format string, scripts map[string]string) []string {
	switch {
	case len(scripts) == 0 || format == "deb":
		return nil
	case format == "rpm":
		return []string{"/bin/sh", "coreutils", "sed"}
	}
	return []string{"/bin/sh"}
}

const maintainer = "The unchoke authors <unchoke@localhost>"

// write writes a file whose mode does not depend on the umask.
func write(name string, data []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, mode); err != nil {
		return err
	}
	return os.Chmod(name, mode)
}

// dated gives a file the commit's time: apk's scripts keep their files'.
func (b *builder) dated(name string) error { return os.Chtimes(name, b.commit.time, b.commit.time) }
