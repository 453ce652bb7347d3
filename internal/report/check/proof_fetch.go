//go:build !slim

package check

import (
	"strings"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// fetchProof is the comparison for a URL, of which a client chooses no more than
// how many connections it opens; empty where that is not the question, or where
// the server was told what is not shown.
func (c Report) fetchProof(arms []string) string {
	if len(arms) == 0 || !strings.HasPrefix(arms[0], "streams=") || c.toldSecrets() {
		return ""
	}
	return render.Comparison(c.Target, arms...)
}

// toldSecrets says that the server was told more than the shown URL: values of a
// query, headers, a user's password among them, or cookies. A comparison has no
// flags for those.
func (c Report) toldSecrets() bool {
	return record.HidesValues(c.Target) || len(c.Fetch.Headers) > 0 || c.Fetch.Cookies
}
