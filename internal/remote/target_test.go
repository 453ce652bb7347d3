package remote

import (
	"errors"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"ssh://far":                  {Host: "far"},
		"ssh://root@far:2222":        {User: "root", Host: "far", Port: 2222},
		"ssh://me@192.0.2.7/":        {User: "me", Host: "192.0.2.7"},
		"ssh://[2001:db8::1]":        {Host: "2001:db8::1"},
		"ssh://a.b@[2001:db8::1]:22": {User: "a.b", Host: "2001:db8::1", Port: 22},
		"ssh://[fe80::1%25eth0]":     {Host: "fe80::1%eth0"},
		"ssh://[fe80::1%eth0]":       {Host: "fe80::1%eth0"},
		"ssh://me@[fe80::1%2]:22":    {User: "me", Host: "fe80::1%2", Port: 22},
	} {
		got, err := ParseTarget(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := ParseTarget(got.String()); err != nil || again != got {
			t.Errorf("%s: prints as %s, which reads as %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{
		"", "far", "ssh://", "ssh://:22", "ssh://far:0", "ssh://far:65536", "ssh://far:x", "ssh://user:secret@far",
		"ssh://-oProxyCommand=id", "ssh://-l@far", "ssh://far/path", "ssh://far?x=1", "ssh://far#x", "http://far",
		"ssh://$(id)@far", "ssh://a%20b@far", "ssh://far%0a", "ssh://a;b@far",
		"ssh://[fe80::1%$(id)]", "ssh://[fe80::1%25$(id)]", "ssh://[fe80::1%]", "ssh://[far%eth0]", "ssh://a%zz@[fe80::1%eth0]",
	} {
		if got, err := ParseTarget(text); !errors.Is(err, ErrTarget) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	f.Add("ssh://root@far:2222")
	f.Add("ssh://[fe80::1%25eth0]:22")
	f.Add("ssh://[fe80::1%eth0]:22")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseTarget(text)
		if err != nil {
			return
		}
		if again, err := ParseTarget(got.String()); err != nil || again != got {
			t.Errorf("%q: %+v prints as %q, which reads as %+v, %v", text, got, got, again, err)
		}
	})
}
