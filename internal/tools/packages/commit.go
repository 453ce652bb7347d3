package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// commit is what is built.
type commit struct {
	described string    // by git: v1.2.3, v1.2.3-5-g0123abc, 0123abc
	time      time.Time // of the commit; all files have it
}

func readCommit(ctx context.Context, described string) (commit, error) {
	if described == "" {
		out, err := exec.CommandContext(ctx, "git", "describe", "--tags", "--always", "--abbrev=7").Output()
		if err != nil {
			return commit{}, fmt.Errorf("git describe: %w", err)
		}
		described = strings.TrimSpace(string(out))
	}
	if strings.Trim(described, "0123456789abcdefghijklmnopqrstuvwxyz.-+~") != "" {
		return commit{}, fmt.Errorf("%q is no version", described)
	}
	out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
	if err != nil {
		return commit{}, fmt.Errorf("git log: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return commit{}, fmt.Errorf("git log: %w", err)
	}
	return commit{described, time.Unix(seconds, 0).UTC()}, nil
}

var afterTag = regexp.MustCompile(`^v?(\d+(?:\.\d+)*)(?:-(\d+)-g([0-9a-f]+))?$`)

// versions are the commit's in each format's own order: a tag's is before those
// of the commits after it, and those before any tag are before the first.
func (c commit) versions() (deb, rpm, apk string) {
	m := afterTag.FindStringSubmatch(c.described)
	switch {
	// A name of seven hexadecimal digits may be all decimal ones: no tag.
	case m == nil || !strings.Contains(m[1], "."):
		day := c.time.Format("20060102150405")
		v := "0.0.0~git" + day + "." + strings.TrimPrefix(c.described, "g")
		return v, v, "0.0.0_git" + day
	case m[2] == "":
		return m[1], m[1], m[1]
	}
	v := m[1] + "+git" + m[2] + "." + m[3]
	return v, v, m[1] + "_git" + m[2]
}
