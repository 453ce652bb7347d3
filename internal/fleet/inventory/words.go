package inventory

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fields cuts a line into words as a shell does that expands nothing: quotes
// hold words together, a backslash takes the next character as it is, and # after
// a space begins a comment.
func fields(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0:
			switch {
			case r == quote:
				quote = 0
			case r == '\\' && quote == '"' && i+1 < len(runes) && (runes[i+1] == '"' || runes[i+1] == '\\'):
				i++
				word.WriteRune(runes[i])
			default:
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '\\' && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
			inWord = true
		case r == ' ' || r == '\t' || r == '\r':
			if inWord {
				out = append(out, word.String())
				word.Reset()
				inWord = false
			}
		case r == '#' && !inWord:
			return out, nil
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}

// withValue are ssh's options that a host may need and that take a value.
const withValue = "iJFoplbcm"

// refused are the keys of -o that change what a session is, as ssh compares them:
// in lower case. Of others that Ansible's inventories often have, such as
// ControlMaster and ForwardAgent, nothing comes: package remote sets them before
// these options, and ssh takes the first value.
var refused = []string{
	"remotecommand", "localcommand", "permitlocalcommand", "localforward", "remoteforward", "dynamicforward",
	"sessiontype", "stdinnull", "forkafterauthentication", "tunnel", "tunneldevice",
}

// keyword splits an argument of -o, KEY=VALUE or KEY VALUE, as ssh does. The key is
// in lower case.
func keyword(argument string) (key, value string) {
	argument = strings.TrimLeft(argument, " \t")
	end := strings.IndexAny(argument, " \t=")
	if end < 0 {
		end = len(argument)
	}
	key = strings.ToLower(strings.Trim(argument[:end], `"`))
	value = strings.TrimLeft(argument[end:], " \t")
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	return key, strings.Trim(value, `"`)
}

// sshOptions reads options of ssh. An inventory is trusted as ssh's own
// configuration is: it may name another one, a jump host or a program that
// connects. What would change what a session is, such as a forwarding or a
// command, is refused.
func sshOptions(text string) ([]string, error) {
	words, err := fields(text)
	if err != nil {
		return nil, err
	}
	return sshWords(words)
}

func sshWords(words []string) ([]string, error) {
	var out []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-4", w == "-6", w == "-C", w == "-q":
			out = append(out, w)
		case len(w) >= 2 && w[0] == '-' && strings.ContainsRune(withValue, rune(w[1])):
			v := w[2:]
			if v == "" {
				if i++; i == len(words) {
					return nil, fmt.Errorf("ssh's option %s has no value", w)
				}
				v = words[i]
			}
			if key, _ := keyword(v); w[1] == 'o' && slices.Contains(refused, key) {
				return nil, fmt.Errorf("ssh's option %.40q changes what a session is", v)
			}
			out = append(out, w[:2], v)
		default:
			return nil, fmt.Errorf("ssh's option %.40q is none that says how a host is reached", w)
		}
	}
	return out, nil
}

// expand gives the hosts of a pattern: web[01:50], db-[a:f], each as Ansible
// counts, both ends included.
func expand(pattern string) ([]string, error) {
	at := strings.IndexByte(pattern, '[')
	end := strings.IndexByte(pattern, ']')
	if at < 0 || end < at || !strings.Contains(pattern[at:end], ":") || strings.Count(pattern[at:end], ":") > 2 {
		return []string{pattern}, nil
	}
	first, last, step, err := bounds(pattern[at+1 : end])
	if err != nil {
		return nil, fmt.Errorf("the range of %.80q: %w", pattern, err)
	}
	tails, err := expand(pattern[end+1:])
	if err != nil {
		return nil, err
	}
	width := len(first.text)
	var out []string
	for n := first.number; n <= last.number; n += step {
		text := string(rune(n))
		if !first.letter {
			text = fmt.Sprintf("%0*d", width, n)
			if width > 1 && first.text[0] != '0' || width == 1 {
				text = strconv.Itoa(n)
			}
		}
		for _, tail := range tails {
			if len(out) >= MaxHosts {
				return nil, fmt.Errorf("%.80q stands for more than %d hosts", pattern, MaxHosts)
			}
			out = append(out, pattern[:at]+text+tail)
		}
	}
	return out, nil
}

// edge is one end of a range: a number, or a letter.
type edge struct {
	text   string
	number int
	letter bool
}

func bounds(text string) (first, last edge, step int, err error) {
	parts := strings.Split(text, ":")
	step = 1
	if len(parts) == 3 {
		if step, err = strconv.Atoi(parts[2]); err != nil || step < 1 || step > MaxHosts {
			return first, last, 0, errors.New("its step is not a positive number")
		}
	}
	if parts[0] == "" {
		parts[0] = "0"
	}
	if first, err = parseEdge(parts[0]); err == nil {
		last, err = parseEdge(parts[1])
	}
	switch {
	case err != nil:
	case first.letter != last.letter:
		err = errors.New("a letter and a number are its ends")
	case first.number > last.number:
		err = errors.New("it begins after its end")
	case last.number-first.number > MaxHosts*step:
		err = fmt.Errorf("it has more than %d hosts", MaxHosts)
	}
	return first, last, step, err
}

func parseEdge(text string) (edge, error) {
	if len(text) == 1 && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z') {
		return edge{text, int(text[0]), true}, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return edge{}, fmt.Errorf("%.20q is neither a number nor a letter", text)
	}
	return edge{text, int(n), false}, nil
}
