package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/words"
)

// A stream is text/event-stream (HTML standard, "Server-sent events"). Its
// query says what the page shows; a page that shows something else opens
// another. Its events:
//
//	view     the table, or the part of it that the query asks for
//	flow     a flow's figures; history: the minutes before, once
//	gone     there is no such flow, or none any more
//	ended    no snapshot follows
//	refused  the query is wrong; the stream ends
//
// Events carry an id. A browser whose connection broke comes back by itself
// after reconnectAfter and is shown the newest look at once.
const reconnectAfter = time.Second

func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	woken, ok := s.feed.join()
	if !ok {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "unchoke: "+strconv.Itoa(s.options.Streams)+" pages are being fed, and no more are\nhint: close one", http.StatusServiceUnavailable)
		return
	}
	defer s.feed.leave(woken)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy's
	o := &outlet{control: http.NewResponseController(w), to: w, patience: s.patience}
	o.raw("retry: " + strconv.FormatInt(reconnectAfter.Milliseconds(), 10) + "\n\n")
	if err != nil {
		o.event("", "refused", refusalOf(err))
		return
	}
	s.follow(r.Context(), o, woken, q, r.Header.Get("Last-Event-ID"))
}

// follow feeds one page until it goes or the server stops.
func (s *Server) follow(ctx context.Context, o *outlet, woken chan struct{}, q query, last string) {
	begun := false
	beat := time.NewTimer(s.beat)
	defer beat.Stop()
	for o.err == nil {
		select {
		case <-ctx.Done():
			return
		case _, open := <-woken:
			if !open {
				return
			}
			l := s.feed.now()
			if l.id == last { // it has seen this
				break
			}
			if q.flow != "" {
				begun = s.showFlow(o, l, q.flow, !begun) || begun
			} else {
				v := q.view(l)
				v.Tape = stateOf(s.options.Tape)
				o.event(l.id, "view", v)
			}
			if l.ended {
				o.event(l.id, "ended", struct{}{})
			}
		case <-beat.C:
			o.raw(": alive\n\n")
		}
		beat.Reset(s.beat)
	}
}

// refusal is what is wrong with a query, for the page.
type refusal struct {
	Error string `json:"error"`
	// Pointer is the text with carets beneath the offending part.
	Pointer string `json:"pointer,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

func refusalOf(err error) refusal {
	if at, ok := errors.AsType[*words.Error](err); ok {
		return refusal{err.Error(), at.Pointer(), at.Hint()}
	}
	return refusal{Error: err.Error()}
}

// outlet writes events, each with a time to be taken in. After an error it
// writes nothing more.
type outlet struct {
	control  *http.ResponseController
	to       http.ResponseWriter
	patience time.Duration
	err      error
}

func (o *outlet) event(id, name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		o.err = err
		return
	}
	o.raw(format(id, name, text))
}

// format lays an event out. JSON has no line breaks outside strings, and none
// within.
func format(id, name string, data []byte) string {
	var b strings.Builder
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteString("event: " + name + "\n")
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}

func (o *outlet) raw(text string) {
	if o.err != nil {
		return
	}
	if o.err = o.control.SetWriteDeadline(time.Now().Add(o.patience)); o.err != nil {
		return
	}
	if _, o.err = o.to.Write([]byte(text)); o.err == nil {
		o.err = o.control.Flush()
	}
}
