package tune

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strings"
)

// Admissible returns nil for a change that this program can have planned. A
// journal is held against it before anything in it is written to the host, so
// that a forged one names no other file and no other key.
func (c Change) Admissible() error {
	var err error
	switch c.Kind {
	case Sysctl:
		if !slices.Contains(Keys, c.Key) {
			err = errors.New("no plan changes that key")
		} else if !plain(c.Old) || !plain(c.New) {
			err = errors.New("its value is not one line")
		}
	case Module:
		if !slices.Contains(Wanted, c.Key) {
			err = errors.New("no plan loads that module")
		}
	case Qdisc:
		if !deviceName(c.Key) {
			err = errors.New("no device has that name")
		} else {
			err = decodable[QdiscValue](c)
		}
	case Route:
		var key RouteKey
		if key, err = ParseRouteKey(c.Key); err == nil {
			_, err = netip.ParsePrefix(key.Prefix)
		}
		err = errors.Join(err, decodable[RouteValue](c))
	case File:
		err = c.admissibleFile()
	default:
		err = errors.New("no plan has changes of that kind")
	}
	if err != nil {
		return fmt.Errorf("change of %s %q: %w", c.Kind, c.Key, err)
	}
	return nil
}

// admissibleFile: one of this program's own files, a directory that one of them
// lies in, or a file of sysctls in which lines are turned into comments.
func (c Change) admissibleFile() error {
	if err := decodable[FileValue](c); err != nil {
		return err
	}
	made, _ := Decode[FileValue](c.New)
	if slices.Contains(OwnFiles, c.Key) {
		return nil
	}
	if made != nil && made.Dir {
		if c.Old == nil && slices.ContainsFunc(OwnFiles, func(name string) bool { return strings.HasPrefix(name, c.Key+"/") }) {
			return nil
		}
		return errors.New("no plan makes that directory")
	}
	if !editable(c.Key) {
		return errors.New("no plan writes that file")
	}
	was, _ := Decode[FileValue](c.Old)
	if was == nil || made == nil || !bytes.Equal(bytes.ReplaceAll(made.Content, []byte(disabled), nil), bytes.ReplaceAll(was.Content, []byte(disabled), nil)) {
		return errors.New("a plan only turns lines of that file into comments")
	}
	return nil
}

// disabled goes before a line that a plan turns into a comment.
const disabled = "# disabled by unchoke tune: "

// editable says whether a plan may turn lines of a file into comments: it is
// below /etc, and named as files of sysctls are.
func editable(name string) bool {
	return path.Clean(name) == name && strings.HasPrefix(name, "/etc/") && path.Ext(name) == ".conf"
}

// deviceName is what the kernel takes as one (dev_valid_name, net/core/dev.c).
func deviceName(name string) bool {
	const most = 15 // IFNAMSIZ
	return name != "" && len(name) <= most && name != "." && name != ".." && !strings.ContainsAny(name, "/: \t\n\v\f\r")
}

func plain(value *string) bool { return value == nil || !strings.ContainsAny(*value, "\n\x00") }

func decodable[V FileValue | QdiscValue | RouteValue](c Change) error {
	_, err1 := Decode[V](c.Old)
	_, err2 := Decode[V](c.New)
	return errors.Join(err1, err2)
}
