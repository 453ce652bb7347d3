package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// needChromium is the browser's program. CI must have it.
func needChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const why = "needs Chromium, and there is none: make requirements"
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}

// newBrowser starts a Chromium for a test and its tabs.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(needChromium(t)))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal("start Chromium:", err)
	}
	return ctx
}

// tab is one page that a test looks at.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string // of the server

	mu     sync.Mutex
	faults []string // errors on the console, requests to elsewhere
	// forgiven are parts of console messages that a test brings about.
	forgiven []string
}

// newTab opens a tab and watches what it logs and where it asks. At the end of
// the test both must be clean.
func newTab(t *testing.T, browser context.Context, address string, forgiven ...string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	p := &tab{t: t, ctx: ctx, address: address, forgiven: forgiven}
	messages := chromedp.Console(ctx)
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	var reading sync.WaitGroup
	reading.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" {
				p.note(m.String())
			}
		}
	})
	reading.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if url := r.Request.URL; !strings.HasPrefix(url, "http://"+address+"/") {
				p.note("a request to " + url)
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		reading.Wait()
		for _, f := range p.faults {
			t.Error(f)
		}
	})
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		return err
	}))
	return p
}

func (p *tab) note(fault string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, part := range p.forgiven {
		if strings.Contains(fault, part) {
			return
		}
	}
	p.faults = append(p.faults, fault)
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// open opens an address of the server, in a window of this width and a theme.
func (p *tab) open(path string, width int64, theme string) {
	p.t.Helper()
	p.look(width, theme)
	p.do(chromedp.Navigate("http://" + p.address + path))
}

func (p *tab) look(width int64, theme string) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, 800), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}})
		return err
	}))
}

// js evaluates an expression in the page.
func js[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition in the page.
func (p *tab) until(condition string) {
	p.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+condition+")")); err == nil && ok {
			return
		} else if err != nil && !errors.Is(err, context.DeadlineExceeded) && p.ctx.Err() != nil {
			p.t.Fatal(err)
		}
	}
	p.t.Fatalf("never: %s\nthe page: %s", condition, js[string](p, "document.body.innerText.slice(0, 600)"))
}

func (p *tab) want(what, got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (p *tab) key(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// slash presses / as a keyboard does: one event that may be prevented, where
// KeyEvent sends the character apart from it.
func (p *tab) slash() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Code: "Slash", Text: "/"})
		return err
	}))
}

// listenAgain is a listener on the port of an address that was used before.
func listenAgain(t *testing.T, address string) net.Listener {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", address); err == nil {
			return l
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal(fmt.Errorf("listen on %s again", address))
	return nil
}
