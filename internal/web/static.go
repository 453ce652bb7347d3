package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
)

// static are the page's files, as they are.
//
//go:embed static/index.html static/*.css static/*.js static/*.svg static/uplot/*.js static/uplot/*.css static/uplot/LICENSE
var static embed.FS

// kinds are the content types of the page's files, by extension: those of the
// host's own tables may differ.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8",
}

// page serves the page; what it shows stands in the query, which its script
// reads.
func (s *Server) page(w http.ResponseWriter, r *http.Request) { sendStatic(w, r, "index.html") }

func serveStatic(w http.ResponseWriter, r *http.Request) { sendStatic(w, r, r.PathValue("name")) }

// sendStatic sends a file unless the browser has it as it is.
func sendStatic(w http.ResponseWriter, r *http.Request, name string) {
	content, err := fs.ReadFile(static, path.Join("static", name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("Content-Type", kinds[path.Ext(name)])
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache") // ask each time: another version may run
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(content) // a reader that went away
}
