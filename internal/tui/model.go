package tui

import (
	"errors"
	"io"
	"slices"

	tea "charm.land/bubbletea/v2"

	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// screenful is what the user looks at.
type screenful int

// The table is where everything begins; Esc leads back to it.
const (
	theTable   screenful = iota
	thePage              // of one flow
	theHelp              // keys, and what the words mean
	theChoice            // of the column to sort by
	theCommand           // the next command to run, by itself
)

// model is everything that the screen shows. Update changes it; it reads no
// clock and touches no terminal.
type model struct {
	options Options
	next    tea.Cmd // waits for the next snapshot
	tape    Tape    // nil where the source is no recording

	width, height int
	styles        styles

	keeper   *table.Keeper
	snapshot *live.Snapshot // that is shown; nil before the first
	flows    []*live.Flow   // of snapshot, and closed ones
	sums     sums
	notes    []string
	frozen   bool
	ended    bool  // the source has no more
	err      error // why the source ended, where that is not its end

	where     screenful
	back      screenful // where help and the command were opened
	besideTop int       // first line of the help
	list      list
	page      page
	prompt    prompt
	choice    int    // the column that the user is at
	filter    string // as typed
	said      string // an answer to the last key
}

// newModel begins with an empty screen. An error is one of the filter's text.
func newModel(o Options) (model, error) {
	m := model{options: o, tape: o.Tape, width: 80, height: 24, styles: newStyles(true), keeper: table.NewKeeper(table.Keep{})}
	m.list.order, m.list.by, m.list.closed = o.Order, o.Group, o.Closed
	if m.list.order.Column.Key == "" {
		m.list.order.Column = table.Busiest.Column
	}
	if o.FilterText == "" {
		return m, nil
	}
	if o.Filter == nil {
		return m, errors.New("a filter's text, and nothing that reads it")
	}
	var err error
	m.filter = o.FilterText
	m.list.match, err = o.Filter(o.FilterText)
	return m, err
}

// snapshotMsg is a snapshot, or why there is none.
type snapshotMsg struct {
	snapshot *live.Snapshot
	err      error
}

// Init asks for the terminal's background and for the first snapshot.
func (m model) Init() tea.Cmd { return tea.Batch(tea.RequestBackgroundColor, m.next) }

// Update is what the model becomes.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.list.scrollTo(m.tableRows())
	case tea.BackgroundColorMsg:
		m.styles = newStyles(msg.IsDark())
	case snapshotMsg:
		return m.take(msg)
	case tea.PasteMsg:
		if m.prompt.open {
			m.prompt.insert(msg.Content)
		}
	case tea.KeyPressMsg:
		m.said = ""
		return m.key(msg)
	}
	return m, nil
}

// take takes a snapshot in and waits for the next one.
func (m model) take(msg snapshotMsg) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		m.ended = true
		if !errors.Is(msg.err, io.EOF) {
			m.err = msg.err
			return m, tea.Quit
		}
		return m, nil
	}
	m.keeper.Observe(msg.snapshot)
	if !m.frozen {
		m.show()
	}
	return m, m.next
}

// show brings the latest snapshot onto the screen.
func (m *model) show() {
	if m.keeper.Newest() == nil {
		return
	}
	m.snapshot, m.flows = m.keeper.Newest(), m.keeper.Flows()
	m.sums = newSums(m.flows)
	m.arrange()
	m.page.refresh(m.keeper, m.flows)
	m.notes = m.snapshot.Notes
	if m.options.Notes != nil {
		m.notes = slices.Concat(m.options.Notes(), m.notes)
	}
}

func (m *model) arrange() { m.list.arrange(m.flows, m.tableRows()) }
