package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"unchoke/internal/record"
	"unchoke/internal/remote"
)

// Client is the near end of a session. Its methods may be called side by side.
type Client struct {
	Hello Hello

	rwc   io.ReadWriteCloser
	out   out
	heard atomic.Int64 // when, in nanoseconds since began
	began time.Time
	gone  chan struct{} // closed once the session is over

	mu    sync.Mutex
	last  uint64
	calls map[uint64]*call
	err   error // why it is over
}

// call is a request under way.
type call struct {
	packed   []byte
	progress func(share float64, what string)
	done     chan outcome
}

type outcome struct {
	result []byte
	err    error
}

// ErrLost means that the session ended before it was asked to.
var ErrLost = errors.New("the session with the far host is lost")

// NoHello is what came in place of a hello.
type NoHello struct {
	// Said is what the far end printed, at most some KiB.
	Said string
	Err  error
}

func (e *NoHello) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("the far end did not begin a session: %v", e.Err)
	}
	return fmt.Sprintf("the far end did not begin a session: %v; it said %q", e.Err, e.Said)
}

func (e *NoHello) Unwrap() error { return e.Err }

// Open waits for the far end's hello and begins to ping. It skips what a login
// prints before. It closes rwc where it fails, and when the session is over.
func Open(ctx context.Context, rwc io.ReadWriteCloser) (*Client, error) {
	stop := context.AfterFunc(ctx, func() { rwc.Close() })
	in := newLines(rwc)
	hello, err := greeting(in)
	if !stop() {
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		rwc.Close()
		return nil, err
	}
	c := &Client{Hello: hello, rwc: rwc, out: out{w: rwc}, began: time.Now(), gone: make(chan struct{}), calls: map[uint64]*call{}}
	go c.listen(in)
	go c.keepAlive()
	return c, nil
}

// greeting finds the hello among what is printed.
func greeting(in *lines) (Hello, error) {
	var said strings.Builder
	fail := func(err error) (Hello, error) {
		text := strings.ToValidUTF8(strings.TrimSpace(said.String()), "?")
		return Hello{}, &NoHello{text[:min(len(text), 2000)], err}
	}
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			return fail(errors.New("its output ended"))
		}
		if err != nil {
			return fail(err)
		}
		var h Hello
		if bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &h) == nil && strings.HasPrefix(h.Schema, "unchoke.session/") {
			if h.Schema != Schema {
				return fail(fmt.Errorf("its session protocol is %q, this unchoke's is %q", h.Schema, Schema))
			}
			return h, nil
		}
		said.Write(line)
		said.WriteByte('\n')
		if said.Len() > maxNoise {
			return fail(ErrLine)
		}
	}
}

func (c *Client) listen(in *lines) {
	for {
		line, err := in.next()
		if err != nil {
			c.lose(err)
			return
		}
		c.heard.Store(int64(time.Since(c.began)))
		var r reply
		if err := decode(line, &r); err != nil {
			c.lose(err)
			return
		}
		if err := c.take(r); err != nil {
			c.lose(err)
			return
		}
	}
}

// take hands a reply to its call; one that nobody waits for any more is dropped.
func (c *Client) take(r reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[r.ID]
	if k == nil {
		return nil
	}
	if r.Progress != nil {
		if k.progress != nil {
			k.progress(min(max(r.Progress.Share, 0), 1), r.Progress.What)
		}
		return nil
	}
	if len(k.packed)+len(r.Part) > maxAnswer {
		return fmt.Errorf("%w: an answer of more than %d MiB", ErrLine, maxAnswer>>20)
	}
	if k.packed = append(k.packed, r.Part...); r.More {
		return nil
	}
	delete(c.calls, r.ID)
	o := outcome{result: r.Result}
	if r.Error != nil {
		o.err = &FarError{*r.Error}
	} else if len(k.packed) > 0 {
		o.result, o.err = unpack(k.packed)
	}
	k.done <- o
	return nil
}

// keepAlive pings, and gives the session up once nothing is heard for a lease.
func (c *Client) keepAlive() {
	tick := time.NewTicker(remote.Beat)
	defer tick.Stop()
	pinging := make(chan struct{}, 1) // a write may block
	for {
		select {
		case <-c.gone:
			return
		case <-tick.C:
		}
		if silent := time.Since(c.began) - time.Duration(c.heard.Load()); silent > remote.Lease {
			c.lose(fmt.Errorf("nothing was heard for %v", silent.Round(time.Second)))
			return
		}
		select {
		case pinging <- struct{}{}:
			go func() {
				_ = c.out.send(request{Do: DoPing}) // silence tells
				<-pinging
			}()
		default:
		}
	}
}

// lose ends the session; the first reason stands.
func (c *Client) lose(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("its output ended")
	}
	c.err = fmt.Errorf("%w: %w", ErrLost, err)
	for id, k := range c.calls {
		delete(c.calls, id)
		k.done <- outcome{err: c.err}
	}
	close(c.gone)
	c.rwc.Close()
}

// Gone is closed once the session is over.
func (c *Client) Gone() <-chan struct{} { return c.gone }

// call asks and waits for the answer. When ctx ends, the far end is told to
// give it up.
func (c *Client) call(ctx context.Context, do string, with, result any, progress func(float64, string)) error {
	return c.ask(ctx, do, with, result, progress, 0)
}

// ask is a call that leaves the far end some time to answer once ctx has ended: result is
// what it had done until then, and the error why ctx ended.
func (c *Client) ask(ctx context.Context, do string, with, result any, progress func(float64, string), rest time.Duration) error {
	doc, err := json.Marshal(with)
	if err != nil {
		return err
	}
	k := &call{progress: progress, done: make(chan outcome, 1)}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return c.err
	}
	c.last++
	id := c.last
	c.calls[id] = k
	c.mu.Unlock()
	sent := make(chan error, 1)
	go func() { sent <- c.out.send(request{ID: id, Do: do, With: doc}) }()
	var o outcome
	var ended error // why ctx has
	var late <-chan time.Time
	done := ctx.Done()
	for o.result == nil && o.err == nil {
		select {
		case err := <-sent:
			sent = nil
			if err != nil {
				c.lose(err)
			}
			continue
		case o = <-k.done:
		case <-done:
			go func() { _ = c.out.send(request{Do: DoCancel, ID: id}) }()
			ended, done, late = context.Cause(ctx), nil, time.After(rest)
			continue
		case <-late:
			c.mu.Lock()
			delete(c.calls, id)
			c.mu.Unlock()
			return ended
		}
		break
	}
	switch {
	case o.err != nil:
		return cmp.Or(ended, o.err)
	case result == nil:
		return ended
	}
	return cmp.Or(ended, decode(o.result, result))
}

// Serve starts the far end's iperf3 server.
func (c *Client) Serve(ctx context.Context, s Serve) (Serving, error) {
	var out Serving
	err := c.call(ctx, DoServe, s, &out, nil)
	if err == nil && (out.Port < 1 || out.Port > 65535) {
		err = fmt.Errorf("%w: port %d", ErrLine, out.Port)
	}
	return out, err
}

// Dial has the far end connect to the near one: see Dial, and Accept.
func (c *Client) Dial(ctx context.Context, d Dial) (Dialed, error) {
	var out Dialed
	err := c.call(ctx, DoDial, d, &out, nil)
	return out, err
}

// Send has the far end send a datagram to the near one: see Send.
func (c *Client) Send(ctx context.Context, m Send) error { return c.call(ctx, DoSend, m, nil, nil) }

// Audit asks for the far host's facts.
func (c *Client) Audit(ctx context.Context, a Audit) (Audited, error) {
	var out Audited
	err := c.call(ctx, DoAudit, a, &out, nil)
	return out, err
}

// Sides asks what the far end saw of the tests since the last call.
func (c *Client) Sides(ctx context.Context) (Sides, error) {
	var out Sides
	err := c.call(ctx, DoSides, struct{}{}, &out, nil)
	return out, err
}

// Check has the far host check a target. A check that failed midway, or was interrupted,
// returns both the record and the error.
func (c *Client) Check(ctx context.Context, q Check, progress func(share float64, what string)) (*record.Run, error) {
	var out checked
	err := c.ask(ctx, DoCheck, q, &out, progress, partTime)
	if err == nil && out.Error != nil {
		err = &FarError{*out.Error}
	}
	return out.Run, err
}

// partTime is for what an interrupted check had measured to come, over a slow path as well.
const partTime = 2 * time.Second

// checked is the answer to Check.
type checked struct {
	Run   *record.Run `json:"record,omitempty"`
	Error *failure    `json:"error,omitempty"`
}

// Tune has the far host run a verb of tune.
func (c *Client) Tune(ctx context.Context, t Tune) (Tuned, error) {
	var out Tuned
	err := c.call(ctx, DoTune, t, &out, nil)
	return out, err
}

// End asks the far end to go, waits for its word for at most a second, and
// closes the connection.
func (c *Client) End() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.call(ctx, DoEnd, struct{}{}, nil, nil) // its input ends in any case
	c.lose(errors.New("it was ended"))
}
