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

// probeSegments asks again with small segments, where nothing came.
func (f *fetcher) probeSegments(ctx context.Context) {
	c := f.connect(f.at, f.at.addresses[0], http1, smallSegments)
	p := &record.SegmentProbe{MSS: smallSegments}
	f.fetch.Probe = p
	ctx, cancel := context.WithTimeout(ctx, stillness)
	defer cancel()
	if r, err := c.get(ctx, 0, -1); err == nil {
		p.Passed = true
		buf := make([]byte, 16<<10)
		for began := time.Now(); p.Bytes < leastPart && time.Since(began) < time.Second; {
			n, err := r.Body.Read(buf)
			if p.Bytes += int64(n); err != nil {
				break
			}
		}
		r.Body.Close()
	}
	f.fetch.Bytes += c.close()
}

// nothing is the error of a check on whose one connection nothing came.
func (f *fetcher) nothing(s record.FetchStream) error {
	if s.Error != "" {
		return &Error{errors.New(s.Error), "check the URL with curl -o /dev/null"}
	}
	return &stuckError{fmt.Errorf("%s answers, and sends nothing of the file within %v", f.at.url.Host, stillness)}
}

// unlessHole is an error, but for that of full segments which vanish while small
// ones pass: that is a finding.
func (f *fetcher) unlessHole(err error) error {
	if _, stuck := errors.AsType[*stuckError](err); stuck && f.fetch.Probe != nil && f.fetch.Probe.Passed {
		return nil
	}
	return err
}
