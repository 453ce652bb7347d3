package rollout

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/remote"
)

// Hosts reads the hosts of a fleet: those named, and those of the file, of
// which limit keeps some. The warnings are of what Ansible would read, too, and
// unchoke does not.
func Hosts(names []string, file, limit string) (hosts []inventory.Host, warnings []string, err error) {
	for _, name := range names {
		h, err := inventory.Named(name)
		if err != nil {
			return nil, nil, &request.Error{Err: err}
		}
		hosts = append(hosts, h)
	}
	if file != "" {
		b, err := readBounded(file, inventory.MaxFile)
		if err != nil {
			return nil, nil, &request.Error{Err: fmt.Errorf("read the hosts: %w", err)}
		}
		read, err := inventory.Parse(file, b)
		if err != nil {
			return nil, nil, &request.Error{Err: err}
		}
		hosts = append(hosts, read...)
		for _, dir := range []string{"group_vars", "host_vars"} {
			dir = filepath.Join(filepath.Dir(file), dir)
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				warnings = append(warnings, dir+" is not read: variables there that say how a host is reached go into the inventory, or into ssh's configuration")
			}
		}
	}
	if hosts, err = inventory.Limit(hosts, limit); err != nil {
		return nil, nil, &request.Error{Err: err}
	}
	seen := map[string]bool{}
	for _, h := range hosts {
		if seen[h.Name] {
			return nil, nil, request.Refuse("name each host once", "host %s is there twice", h.Name)
		}
		seen[h.Name] = true
	}
	if len(hosts) == 0 {
		return nil, nil, request.Refuse("name hosts as ssh does, or a file of them: --hosts FILE", "there is no host")
	}
	return hosts, warnings, nil
}

// readBounded reads a regular file of at most so many bytes, and one more.
func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New(name + " is a directory")
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most+1))
}

// Members are the hosts with the newest check of each, where there is one.
func Members(hosts []inventory.Host) ([]fleet.Member, error) {
	list, err := app.List()
	if err != nil {
		return nil, err
	}
	var out []fleet.Member
	for _, h := range hosts {
		m := fleet.Member{Host: h}
		name := h.Target()
		if t, err := remote.ParseTarget(name); err == nil {
			name = t.String() // as records have it
		}
		if r, found := app.NewestOf(list, name); found {
			run, err := app.LoadRun(r.ID)
			if err != nil {
				return nil, err
			}
			m.Measured = app.MeasuredThere(run)
		}
		out = append(out, m)
	}
	return out, nil
}
