package record

// Fetch is what a check of a URL saw of the server beside the transfers. What
// the server sent is kept as it came, bounded in length: a report cleans it.
type Fetch struct {
	// URL is what was fetched, after redirects. As the target, it has neither
	// user nor password, and of a query only the names.
	URL       string     `json:"url"`
	Redirects []Redirect `json:"redirects,omitempty"`
	// Headers are the names of those that the user gave; values are secrets.
	Headers []string `json:"header_names,omitempty"`
	Cookies bool     `json:"cookies,omitempty"` // from a file of the user's
	// Proxy is the proxy's host and port, where one was used: the path is the
	// proxy's then.
	Proxy string `json:"proxy,omitempty"`

	Resolve   float64        `json:"resolve_s,omitempty"` // 0 where the URL has an address
	Addresses []FetchAddress `json:"addresses"`           // the first is the one that was measured

	Status   int    `json:"status"`
	Protocol string `json:"protocol"`      // HTTP/1.1, HTTP/2.0
	TLS      string `json:"tls,omitempty"` // its version
	Type     string `json:"content_type,omitempty"`
	Encoding string `json:"content_encoding,omitempty"` // although none was asked for
	Length   int64  `json:"length_bytes"`               // of the body; -1: endless, or not told
	// Ranges says whether the server sends a part where a part is asked for.
	Ranges Ranges `json:"ranges"`

	MaxBytes int64         `json:"max_bytes"` // that might be received
	Bytes    int64         `json:"bytes"`     // that were, headers and TLS included
	Streams  []FetchStream `json:"streams"`
	Problems []Problem     `json:"problems,omitempty"`
	// Probe tells whether smaller segments passed, where full ones did not.
	Probe *SegmentProbe `json:"segment_probe,omitempty"`
}

// Redirect is one step to another URL.
type Redirect struct {
	Status int    `json:"status"`
	To     string `json:"to"`
	// Downgrade is true for one from https to http.
	Downgrade bool `json:"downgrade,omitempty"`
}

// Ranges says how a server answers to a request for a part.
type Ranges string

const (
	RangesServed  Ranges = "served"  // 206, with the part that was asked for
	RangesClaimed Ranges = "claimed" // Accept-Ranges says so, and the whole came
	RangesNone    Ranges = "none"    // the whole came
	RangesWrong   Ranges = "wrong"   // 206, with another part than was asked for
)

// FetchAddress is one address of the server, each asked for the first byte on a
// connection of its own. Times are in seconds, one after another.
type FetchAddress struct {
	Address   string  `json:"address"`
	Connect   float64 `json:"connect_s,omitempty"`
	TLS       float64 `json:"tls_s,omitempty"`
	FirstByte float64 `json:"first_byte_s,omitempty"` // from the request to the first byte of the answer
	// Rate is what one connection carried in a short transfer; 0 where none ran.
	Rate  float64 `json:"rate_bps,omitempty"`
	Error string  `json:"error,omitempty"`
}

// FetchStream is one connection of a transfer.
type FetchStream struct {
	Transfer string `json:"transfer"` // its name
	Stream   int    `json:"stream"`   // as in the transfer's series
	Protocol string `json:"protocol"`
	// Connect, TLS and FirstByte are in seconds, one after another.
	Connect   float64 `json:"connect_s"`
	TLS       float64 `json:"tls_s,omitempty"`
	FirstByte float64 `json:"first_byte_s"`
	// Body is when the body's first bytes were there, since the transfer began,
	// and Ended when its last ones were.
	Body     float64 `json:"body_from_s"`
	Ended    float64 `json:"body_until_s"`
	Bytes    int64   `json:"body_bytes"`
	Requests int     `json:"requests"` // on this connection; more than one where bodies ended early
	End      End     `json:"end"`
	Error    string  `json:"error,omitempty"`
}

// End says why a connection stopped reading.
type End string

const (
	EndOfBody  End = "body"    // all of it was there
	EndOfTime  End = "time"    // this check had seen enough
	EndOfBytes End = "bytes"   // no more might be received
	EndCut     End = "cut"     // the server closed before the length it had said
	EndStalled End = "stalled" // nothing came any more
	EndRefused End = "refused" // this connection got no answer, or another than the first one
)

// Problem is something about the server's answer that the user should know.
type Problem struct {
	Kind ProblemKind `json:"kind"`
	What string      `json:"what"`
	Hint string      `json:"hint,omitempty"`
}

// ProblemKind is a word for a problem. The words stand in JSON and do not change.
type ProblemKind string

const (
	ProblemDowngrade  ProblemKind = "downgrade"
	ProblemRedirected ProblemKind = "redirected"
	ProblemPage       ProblemKind = "page"       // HTML where a file was expected
	ProblemCompressed ProblemKind = "compressed" // although identity was asked for
	ProblemRanges     ProblemKind = "ranges"     // not what the server claims
	ProblemCut        ProblemKind = "cut"
	ProblemStalled    ProblemKind = "stalled"
	ProblemRefused    ProblemKind = "refused" // of several connections, some
	ProblemAddress    ProblemKind = "address" // one of several does not work, or is slower
)

// SegmentProbe is one connection with small segments after one on which nothing
// came.
type SegmentProbe struct {
	MSS    int   `json:"mss_bytes"`
	Bytes  int64 `json:"bytes"` // that came
	Passed bool  `json:"passed"`
}

// StreamsOf are the connections of a transfer.
func (f *Fetch) StreamsOf(transfer string) []FetchStream {
	var out []FetchStream
	for _, s := range f.Streams {
		if s.Transfer == transfer {
			out = append(out, s)
		}
	}
	return out
}
