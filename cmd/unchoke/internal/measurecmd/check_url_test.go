//go:build !slim

package measurecmd

import "testing"

// A URL's user goes as a header, unless the user gave another one.
func TestUserOfAURL(t *testing.T) {
	for _, c := range []struct {
		target string
		given  []string
		want   string
	}{
		{"https://far/film.mkv", nil, ""},
		{"far", nil, ""},
		{"https://me:hunter2@far/film.mkv", nil, "Basic bWU6aHVudGVyMg=="},
		{"https://me:hunter2@far/film.mkv", []string{"Authorization: Bearer mine"}, "Bearer mine"},
		{"https://me:hunter2@far/film.mkv", []string{"X-Key: mine"}, "Basic bWU6aHVudGVyMg=="},
	} {
		w, err := webFlags{headers: c.given}.request(c.target)
		if err != nil || w.Header.Get("Authorization") != c.want {
			t.Errorf("%s with %q: %q, %v, want %q", c.target, c.given, w.Header.Get("Authorization"), err, c.want)
		}
	}
}
