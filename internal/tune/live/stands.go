package live

import "unchoke/internal/tune/outcome"

// Stands compares the connections that were changed with what they have now, by
// cookie: one that is missing there has ended.
func Stands(flows []*outcome.LiveFlow, have map[uint64]string) []outcome.LiveItem {
	var items []outcome.LiveItem
	for _, f := range flows {
		item := outcome.LiveItem{
			ID: f.ID, Local: f.Local, Remote: f.Remote, Process: f.Process, PID: f.PID,
			Old: f.Old, New: f.New, Have: have[id(f)], State: outcome.Changed,
		}
		switch item.Have {
		case "":
			item.State = outcome.Gone
		case f.New:
			item.State = outcome.Held
		case f.Old:
			item.State = outcome.Back
		}
		items = append(items, item)
	}
	return items
}
