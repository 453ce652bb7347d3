package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Places in a package.
const (
	binDir        = "/usr/bin"
	unitDir       = "/usr/lib/systemd/system"
	docDir        = "/usr/share/doc/unchoke"
	manDir        = "/usr/share/man/man1"
	bashDir       = "/usr/share/bash-completion/completions"
	zshDir        = "/usr/share/zsh/vendor-completions" // Debian's
	zshElsewhere  = "/usr/share/zsh/site-functions"
	fishDir       = "/usr/share/fish/vendor_completions.d"
	installedFrom = "/usr/local/bin/" // in what contrib has for `make install`
)

// commonFiles are the same on every machine: all but the program, whose build
// with these tags they describe.
func (b *builder) commonFiles(ctx context.Context, tags string) ([]file, error) {
	program := filepath.Join(b.work, "host-"+tags)
	if err := b.build(ctx, target{tags: strings.TrimPrefix(tags+",manual", ",")}, program); err != nil {
		return nil, err
	}
	var files []file
	for _, find := range []func() ([]file, error){
		func() ([]file, error) { return b.manual(ctx, program) },
		func() ([]file, error) { return completions(ctx, program, tags) },
		func() ([]file, error) { return units(tags) },
		documents,
	} {
		found, err := find()
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func (b *builder) manual(ctx context.Context, program string) ([]file, error) {
	dir := program + "-manual"
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := output(ctx, nil, program, "manual", dir, "--date", b.commit.time.Format(time.DateOnly)); err != nil {
		return nil, err
	}
	pages, err := readTree(dir, manDir, 0o644)
	for i := range pages {
		pages[i].path += ".gz"
		if pages[i].data, err = packed(pages[i].data); err != nil {
			return nil, err
		}
	}
	return pages, err
}

// completions are the shells'. The slim build has none.
func completions(ctx context.Context, program, tags string) ([]file, error) {
	if tags == slimTag {
		return nil, nil
	}
	var files []file
	for _, c := range []struct{ shell, path string }{
		{"bash", bashDir + "/unchoke"}, {"zsh", zshDir + "/_unchoke"}, {"fish", fishDir + "/unchoke.fish"},
	} {
		text, err := output(ctx, nil, program, "completion", c.shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{c.path, 0o644, text})
	}
	return files, nil
}

// units are those of contrib, with the program where packages have it. The slim
// build has no metrics to export.
func units(tags string) ([]file, error) {
	files, err := readTree("contrib/systemd", unitDir, 0o644)
	if err != nil {
		return nil, err
	}
	if tags == slimTag {
		files = slices.DeleteFunc(files, func(f file) bool { return strings.HasSuffix(f.path, "/unchoke-exporter.service") })
	}
	for i, f := range files {
		if !bytes.Contains(f.data, []byte("ExecStart="+installedFrom)) {
			return nil, fmt.Errorf("%s does not start a program of %s", f.path, installedFrom)
		}
		files[i].data = bytes.ReplaceAll(f.data, []byte(installedFrom), []byte(binDir+"/"))
	}
	return files, nil
}

// documents are the licence, what changed, and examples.
func documents() ([]file, error) {
	var files []file
	for from, to := range map[string]string{"LICENSE": "copyright", "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md"} {
		text, err := os.ReadFile(from)
		if err != nil {
			return nil, err
		}
		files = append(files, file{docDir + "/" + to, 0o644, text})
	}
	for _, dir := range []string{"prometheus", "grafana"} {
		examples, err := readTree("contrib/"+dir, docDir+"/examples/"+dir, 0o644)
		if err != nil {
			return nil, err
		}
		files = append(files, examples...)
	}
	return files, nil
}
