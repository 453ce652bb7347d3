package web

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// cassette is a tape of a minute that keeps what was asked of it.
type cassette struct {
	mu     sync.Mutex
	at     time.Duration
	paused bool
	speed  float64
	asked  []string
	seeked func() // publishes what is there
}

func (c *cassette) Position() (at, length time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at, time.Minute
}

func (c *cassette) Seek(to time.Duration) {
	c.mu.Lock()
	c.at, c.asked = min(to, time.Minute), append(c.asked, "to "+to.String())
	c.mu.Unlock()
	if c.seeked != nil {
		c.seeked()
	}
}

func (c *cassette) Pause(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = on
}

func (c *cassette) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.paused
}

func (c *cassette) SetSpeed(x float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.speed = x
}

func (c *cassette) Speed() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.speed
}

// A page turns the tape, and every page hears where it is then.
func TestTape(t *testing.T) {
	c := &cassette{at: 20 * time.Second, speed: 1}
	s := New(Options{Tape: c})
	address, _ := start(t, s)
	src := snapshots(t, 3)
	s.Publish(next(t, src))
	page := open(t, address, "/events")
	var v view
	page.want("view", &v)
	if v.Tape == nil || *v.Tape != (tapeState{At: 20, Length: 60, Speed: 1}) {
		t.Fatalf("%+v", v.Tape)
	}
	ours := []string{"Origin: http://" + address, "Sec-Fetch-Site: same-origin"}
	for _, query := range []string{"paused=1", "speed=2.5"} {
		if answer, body := ask(t, "POST", address, "/tape?"+query, ours...); answer.StatusCode != 204 {
			t.Fatalf("%s: %d: %s", query, answer.StatusCode, body)
		}
		page.want("view", &v)
	}
	if want := (tapeState{At: 20, Length: 60, Paused: true, Speed: 2.5}); *v.Tape != want {
		t.Errorf("%+v, want %+v", *v.Tape, want)
	}
	for _, query := range []string{"to=31.5", "by=-10", "by=-99"} {
		ask(t, "POST", address, "/tape?"+query, ours...)
	}
	if want := []string{"to 31.5s", "to 21.5s", "to 0s"}; !slices.Equal(c.asked, want) {
		t.Errorf("asked for %q, want %q", c.asked, want)
	}
	s.Publish(next(t, src))
	if page.want("view", &v); v.Tape.At != 0 {
		t.Errorf("wound to the beginning: %+v", v.Tape)
	}
}

// Only the page may turn a tape, and only one that is there.
func TestTapeIsGuarded(t *testing.T) {
	c := &cassette{speed: 1}
	address, _ := start(t, New(Options{Tape: c}))
	none, _ := start(t, New(Options{}))
	for _, x := range []struct {
		name, method, address, path, origin string
		want                                int
	}{
		{"the page", "POST", address, "/tape?to=1", "http://" + address, 204},
		{"another site", "POST", address, "/tape?to=2", "http://evil.example", 403},
		{"another port", "POST", address, "/tape?to=3", "http://127.0.0.1:1", 403},
		{"no page", "POST", address, "/tape?to=4", "", 403},
		{"a link", "GET", address, "/tape?to=5", "", 405},
		{"another path", "POST", address, "/events", "http://" + address, 405},
		{"no tape", "POST", none, "/tape?to=6", "http://" + none, 405},
		{"nothing", "POST", address, "/tape", "http://" + address, 400},
		{"no number", "POST", address, "/tape?to=x", "http://" + address, 400},
		{"not a number", "POST", address, "/tape?to=NaN", "http://" + address, 400},
		{"beyond any", "POST", address, "/tape?to=1e300", "http://" + address, 400},
		{"backwards", "POST", address, "/tape?speed=-1", "http://" + address, 400},
		{"half paused", "POST", address, "/tape?paused=2", "http://" + address, 400},
	} {
		var headers []string
		if x.origin != "" {
			headers = []string{"Origin: " + x.origin}
		}
		answer, body := ask(t, x.method, x.address, x.path, headers...)
		if answer.StatusCode != x.want {
			t.Errorf("%s: %d, want %d: %s", x.name, answer.StatusCode, x.want, body)
		}
		if want := map[bool]string{true: "POST", false: "GET"}[x.method == "GET"]; x.want == 405 && answer.Header.Get("Allow") != want {
			t.Errorf("%s: Allow %q", x.name, answer.Header.Get("Allow"))
		}
	}
	if want := []string{"to 1s"}; !slices.Equal(c.asked, want) {
		t.Errorf("asked for %q, want %q", c.asked, want)
	}
}

// testTape turns a recording by buttons, the slider and keys.
func testTape(t *testing.T, w served, c *cassette) {
	p := w.tab
	p.open("/", 1280, "light")
	state := `document.getElementById('connection').innerText`
	clock := `document.getElementById('tape-clock').innerText`
	p.until(clock + ` === '00:20 of 01:00'`)
	p.until(state + ` === 'replaying'`)
	p.press(`#tape-play`)
	p.until(state + ` === 'paused'`)
	p.until(`document.getElementById('tape-play').innerText === 'Play'`)
	p.press(`#tape-on`)
	p.until(clock + ` === '00:30 of 01:00'`)
	js[bool](p, `(e => { e.value = 45; e.dispatchEvent(new Event('input')); e.dispatchEvent(new Event('change')); return true })(document.getElementById('tape-at'))`)
	p.until(clock + ` === '00:45 of 01:00'`)
	p.key("{")
	p.until(clock + ` === '00:00 of 01:00'`)
	p.key("+")
	p.until(`document.getElementById('tape-speed').value === '2'`)
	p.key("p")
	p.until(state + ` === 'replaying'`)
	p.key("}")
	p.until(state + ` === 'at its end'`)
	p.press(`#tape-play`) // begins anew
	p.until(clock + ` === '00:00 of 01:00'`)
	// The filter takes the same keys as text.
	p.slash()
	p.key("]")
	p.until(`document.getElementById('filter').value === ']'`)
	p.key("\x1b")
	for _, theme := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 360} {
			p.open("/", width, theme)
			p.until(`!document.getElementById('tape').hidden`)
			if faults := js[[]string](p, audit); len(faults) > 0 {
				t.Errorf("%s, %d wide: %s", theme, width, strings.Join(faults, "; "))
			}
		}
	}
	if c.Speed() != 2 {
		t.Errorf("speed %v", c.Speed())
	}
}

// press clicks a button.
func (p *tab) press(selector string) {
	p.t.Helper()
	js[bool](p, `(document.querySelector('`+selector+`').click(), true)`)
}
