package fetch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unchoke/internal/record"
)

// smallSegments pass most tunnels: 1024 bytes are Linux's own choice where
// large packets vanish (TCP_BASE_MSS).
const smallSegments = 1024

// probeSegments asks again with small segments, where nothing came. Where that
// passes it asks once more with full ones: they have to fail again, or the server
// was busy.
func (f *fetcher) probeSegments(ctx context.Context) {
	p := &record.SegmentProbe{MSS: smallSegments}
	f.fetch.Probe = p
	if p.Bytes = f.comes(ctx, smallSegments); p.Bytes > 0 {
		p.Passed = f.comes(ctx, 0) == 0
	}
}

// comes is how much of the file comes within a second of its first bytes, over a
// connection whose segments are bounded; 0 is no bound.
func (f *fetcher) comes(ctx context.Context, mss int) (bytes int64) {
	c := f.connect(f.at, f.at.addresses[0], http1, mss)
	defer func() { f.fetch.Bytes += c.close() }()
	ctx, cancel := context.WithTimeout(ctx, stillness)
	defer cancel()
	to := int64(leastPart)
	if f.fetch.Length > 0 {
		to = min(to, f.fetch.Length)
	}
	r, err := c.get(ctx, 0, to-1)
	if err != nil {
		return 0
	}
	defer r.Body.Close()
	buf := make([]byte, 16<<10)
	for began := time.Now(); bytes < leastPart && time.Since(began) < time.Second; {
		n, err := r.Body.Read(buf)
		if bytes += int64(n); err != nil {
			break
		}
	}
	return bytes
}

// nothing is the error of a check on whose one connection nothing came.
func (f *fetcher) nothing(s record.FetchStream) error {
	if s.Error != "" {
		return &Error{errors.New(s.Error), "check the URL with curl -o /dev/null"}
	}
	return f.at.silent()
}

// silent is the error of a place that answers, and of whose file nothing comes.
func (p *place) silent() error {
	return &stuckError{fmt.Errorf("%s answers, and sends nothing of the file within %v", p.url.Host, stillness), p.url.Hostname()}
}

// unlessHole is an error, but for that of full segments which vanish while small
// ones pass: that is a finding.
func (f *fetcher) unlessHole(err error) error {
	if _, stuck := errors.AsType[*stuckError](err); stuck && f.fetch.Probe != nil && f.fetch.Probe.Passed {
		return nil
	}
	return err
}
