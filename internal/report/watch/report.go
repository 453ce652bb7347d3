// Package watch shows snapshots of a host's connections as text, a row a flow,
// and as JSON, a document a line.
package watch

import (
	"io"

	"unchoke/internal/live"
	"unchoke/internal/report/render"
)

// JSON writes a snapshot on a line of its own.
func JSON(w io.Writer, s *live.Snapshot) error {
	shown := *s
	shown.Schema = live.Schema
	shown.Flows = render.OrEmpty(shown.Flows)
	return render.JSONLine(w, shown)
}
