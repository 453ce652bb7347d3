// Package web is the project's web front: one page that shows this host's
// connections while they run, and the saved records as reports. It serves
// embedded files and server-sent events and changes nothing but where a recording
// is played (Options.Tape); it asks the network for nothing. It sees snapshots and records, never the kernel.
package web

import (
	"net"
	"net/http"
	"time"

	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// Options say what a server shows and to whom.
type Options struct {
	// Names are host names by which the page may be asked for besides the
	// address that was connected to; loopback addresses have localhost anyway.
	// Other names are refused: they may be another site's that points here.
	Names []string
	// Token is what a reader must know; empty: everybody who can connect may
	// read. See NewToken.
	Token string
	// Admit says why a connection may not read the page; nil admits all.
	Admit func(net.Conn) error
	// List and Load give the saved records; nil: there are none to show.
	List func() ([]state.Summary, error)
	Load func(id string) (record.Document, error)
	// Opened is a report to show beside the saved ones.
	Opened *Opened
	// Tape is the recording whose snapshots are published; nil: they are of now.
	// It alone is what a page may change.
	Tape Tape
	// Streams is how many pages may be fed at a time; 0: 32.
	Streams int
}

// Opened is a report that the user named.
type Opened struct {
	Name    string // for the list
	Command string // that made it
	Started time.Time
	Report  Report
}

// Server serves the page. Publish may be called while it serves.
type Server struct {
	options Options
	feed    *feed
	handler http.Handler
	// beat is how long a stream is silent before it says that it lives, and
	// patience how long a write may take before its reader is given up.
	beat, patience time.Duration
}

// New makes a server that shows nothing yet.
func New(o Options) *Server {
	if o.Streams == 0 {
		o.Streams = 32
	}
	s := &Server{options: o, feed: newFeed(o.Streams), beat: 15 * time.Second, patience: 10 * time.Second}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /static/{name...}", serveStatic)
	mux.HandleFunc("GET /events", s.events)
	mux.HandleFunc("GET /records", s.list)
	mux.HandleFunc("GET /records/{id}", s.report)
	g := guard{names: o.Names, token: o.Token}
	if o.Tape != nil {
		g.changes = tapePath
		mux.HandleFunc("POST "+tapePath, s.tape)
	}
	s.handler = g.around(mux)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Publish shows a snapshot to every page. It does not wait for them: a page
// that is slow misses snapshots.
func (s *Server) Publish(snapshot *live.Snapshot) { s.feed.publish(snapshot) }

// End tells every page that no snapshot follows: a recording that is over.
func (s *Server) End() { s.feed.end() }
