package owner

import (
	"strings"
	"testing"
)

func TestGroupOf(t *testing.T) {
	id := strings.Repeat("0123456789abcdef", 4)
	const short = "0123456789ab"
	for path, want := range map[string]Group{
		"/":                               {},
		"":                                {},
		"/system.slice/jellyfin.service":  {Unit: "jellyfin.service"},
		"/system.slice":                   {},
		"/init.scope":                     {Unit: "init.scope"},
		"/system.slice/_cpu.service":      {Unit: "cpu.service"},
		"/system.slice/nginx.service/sub": {Unit: "nginx.service"},
		"/user.slice/user-1000.slice/user@1000.service/app.slice/app-firefox-77.scope": {Unit: "app-firefox-77.scope"},
		"/user.slice/user-1000.slice/session-3.scope":                                  {Unit: "session-3.scope"},
		"/docker/" + id:                                    {Container: short},
		"/system.slice/docker-" + id + ".scope":            {Container: short},
		"/machine.slice/libpod-" + id + ".scope/container": {Container: short},
		"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-" + id + ".scope": {Container: short},
		"/kubepods/burstable/pod12/" + id:                                                  {Container: short},
		"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id + ".scope": {Unit: "user@1000.service", Container: short},
		"/system.slice/docker-" + id[1:] + ".scope":                                        {Unit: "docker-" + id[1:] + ".scope"},
		"/system.slice/docker-" + strings.ToUpper(id) + ".scope":                           {Unit: "docker-" + strings.ToUpper(id) + ".scope"},
		"/lxc.payload.mail/system.slice/postfix.service":                                   {Unit: "postfix.service", Container: "mail"},
		"/machine.slice/systemd-nspawn@web.service/payload/system.slice/nginx.service":     {Unit: "nginx.service", Container: "web"},
		"/.service": {},
	} {
		want.Path = path
		if got := GroupOf(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

func FuzzGroupOf(f *testing.F) {
	f.Add("/system.slice/docker-x.scope")
	f.Fuzz(func(t *testing.T, path string) {
		if g := GroupOf(path); g.Path != path || strings.Contains(g.Unit+g.Container, "/") {
			t.Errorf("%+v", g)
		}
	})
}
