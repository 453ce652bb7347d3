package language

import (
	"errors"

	"go.yaml.in/yaml/v4"

	"unchoke/internal/path"
)

// schedule reads a schedule that is not written as one text: an episode as a
// mapping of its keys, or a list of them.
func (d *decoder) schedule(n *yaml.Node) (Value, error) {
	const allowed = "an episode such as {every: 15s, for: 200ms, rtt: +50ms}, a list of several, or none"
	v := Value{at: d.place(n)}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	if len(items) == 0 {
		return v, v.at.errorf(allowed, "the schedule has no episodes")
	}
	var episodes []path.Episode
	for _, item := range items {
		e, err := d.episode(resolve(item))
		if err != nil {
			return v, err
		}
		episodes = append(episodes, e)
	}
	s, err := path.NewSchedule(episodes...)
	if err != nil {
		return v, v.at.errorf(allowed, "%v", err)
	}
	v.Text = s.String()
	canon, wanted, err := checkPath(path.ScheduleKey, v.Text)
	if err != nil {
		return v, v.at.errorf(wanted, "%v", err)
	}
	v.canon = canon
	return v, nil
}

func (d *decoder) episode(n *yaml.Node) (path.Episode, error) {
	pairs, err := d.mapping(n, "an episode", path.EpisodeKeys())
	if err != nil {
		return path.Episode{}, err
	}
	var words []path.Word
	for _, e := range pairs {
		v, err := d.scalar(e.value, e.key, "a value: an episode has no axes")
		if err != nil {
			return path.Episode{}, err
		}
		words = append(words, path.Word{Key: e.key, Value: v})
	}
	episode, err := path.ParseEpisode(words)
	if wrong, ok := errors.AsType[*path.WordError](err); ok {
		at := pairs[wrong.Word].at
		if wrong.Value {
			at = d.place(pairs[wrong.Word].value)
		}
		return episode, at.errorf(wrong.Allowed, "%s", wrong.Problem)
	}
	if err != nil {
		return episode, d.place(n).errorf("every: 15s and for: 200ms, or at: 30s, and what changes then, such as rtt: +50ms", "%v", err)
	}
	return episode, nil
}
