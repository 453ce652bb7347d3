package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// dataMember is the member of a deb that holds the files: see deb(5).
const dataMember = "data.tar.xz"

// squeeze compresses the files of a deb again, by the system's xz: the Go
// library that nfpm uses makes them a fifth larger. As dpkg-deb does, it takes
// a dictionary of 8 MiB, which every Debian host has the memory for.
func squeeze(ctx context.Context, name string) error {
	packed, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	smaller, err := replaceMember(packed, dataMember, func(data []byte) ([]byte, error) {
		plain, err := filtered(ctx, data, "xz", "--decompress", "--stdout")
		if err != nil {
			return nil, err
		}
		return filtered(ctx, plain, "xz", "--compress", "--stdout", "-6e", "--threads=1")
	})
	if err != nil {
		return fmt.Errorf("compress %s: %w", name, err)
	}
	return os.WriteFile(name, smaller, 0o644)
}

// filtered is what a program makes of its input.
func filtered(ctx context.Context, input []byte, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w\n%s", name, args, err, &stderr)
	}
	return out, nil
}

// The layout of an archive of ar(5).
const (
	arMagic      = "!<arch>\n"
	arHeader     = 60
	arNameEnd    = 16
	arSizeBegin  = 48
	arSizeEnd    = 58
	arHeaderTail = "`\n"
)

// replaceMember returns an ar archive with one member's data changed. All else,
// the members' times included, stays.
func replaceMember(archive []byte, name string, change func([]byte) ([]byte, error)) ([]byte, error) {
	rest, ok := bytes.CutPrefix(archive, []byte(arMagic))
	if !ok {
		return nil, fmt.Errorf("not an ar archive")
	}
	out, found := []byte(arMagic), false
	for len(rest) > 0 {
		if len(rest) < arHeader || string(rest[arSizeEnd:arHeader]) != arHeaderTail {
			return nil, fmt.Errorf("no header of a member at byte %d", len(archive)-len(rest))
		}
		header := rest[:arHeader]
		size, err := strconv.Atoi(strings.TrimSpace(string(header[arSizeBegin:arSizeEnd])))
		if err != nil || size < 0 || size > len(rest)-arHeader {
			return nil, fmt.Errorf("a member of %q bytes in %d", header[arSizeBegin:arSizeEnd], len(rest))
		}
		data := rest[arHeader : arHeader+size]
		rest = rest[min(arHeader+size+size%2, len(rest)):]
		if strings.TrimRight(string(header[:arNameEnd]), " /") == name {
			found = true
			if data, err = change(data); err != nil {
				return nil, err
			}
		}
		out = append(out, header[:arSizeBegin]...)
		out = fmt.Appendf(out, "%-*d%s", arSizeEnd-arSizeBegin, len(data), arHeaderTail)
		out = append(out, data...)
		if len(data)%2 == 1 {
			out = append(out, '\n')
		}
	}
	if !found {
		return nil, fmt.Errorf("no member %s", name)
	}
	return out, nil
}
