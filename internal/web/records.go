package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"unchoke/internal/compare"
	"unchoke/internal/record"
	checkreport "unchoke/internal/report/check"
	comparereport "unchoke/internal/report/compare"
	"unchoke/internal/state"
)

// Report is a document that is shown as one HTML page. Policy is the content
// security policy under which that page has its own style and scripts, by their
// hashes, and nothing else.
type Report interface {
	HTML(io.Writer) error
	Policy() string
}

// openedID stands for Options.Opened in an address.
const openedID = "opened"

// recordList is what the page lists.
type recordList struct {
	Records []state.Summary `json:"records"` // the opened one first, then the newest
}

// list lists the records that can be shown.
func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	out := recordList{Records: []state.Summary{}}
	if o := s.options.Opened; o != nil {
		out.Records = append(out.Records, state.Summary{ID: openedID, Command: o.Command, Target: o.Name, Started: o.Started})
	}
	if s.options.List != nil {
		saved, err := s.options.List()
		if err != nil {
			http.Error(w, "unchoke: "+err.Error(), http.StatusInternalServerError)
			return
		}
		out.Records = append(out.Records, saved...)
	}
	text, err := json.Marshal(out)
	if err != nil {
		http.Error(w, "unchoke: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // a reader that went away
}

// report shows one record, in a frame of the page: it may be framed by this
// server alone, has no origin, and may run its own scripts where it has some.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	shown, err := s.open(r.PathValue("id"))
	switch {
	case errors.Is(err, state.ErrNotFound):
		http.Error(w, "unchoke: "+err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, "unchoke: "+err.Error(), http.StatusInternalServerError)
		return
	}
	var page bytes.Buffer
	if err := shown.HTML(&page); err != nil {
		http.Error(w, "unchoke: "+err.Error(), http.StatusInternalServerError)
		return
	}
	policy := shown.Policy()
	sandbox := "sandbox"
	if strings.Contains(policy, "script-src") {
		sandbox += " allow-scripts"
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy+"; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "+sandbox)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	_, _ = w.Write(page.Bytes()) // a reader that went away
}

// open reads a record and makes the report that its command would write.
func (s *Server) open(id string) (Report, error) {
	if id == openedID && s.options.Opened != nil {
		return s.options.Opened.Report, nil
	}
	if s.options.Load == nil || !record.ValidID(id) { // an ID is no file's name
		return nil, fmt.Errorf("%w: %q", state.ErrNotFound, id)
	}
	d, err := s.options.Load(id)
	if err != nil {
		return nil, err
	}
	return ReportOf(d)
}

// ReportOf is the report of a record.
func ReportOf(d record.Document) (Report, error) {
	switch d := d.(type) {
	case *record.Run:
		return checkreport.New(d), nil
	case *record.Comparison:
		return comparereport.New(d, compare.Analyse(d)), nil
	}
	return nil, fmt.Errorf("no report shows a record of %s", d.Head().Command)
}
