package fetch

import (
	"fmt"

	"unchoke/internal/record"
)

// problems are what the user should know of the server's answers.
func (f *fetcher) problems() []record.Problem {
	var out []record.Problem
	add := func(kind record.ProblemKind, hint, format string, args ...any) {
		out = append(out, record.Problem{Kind: kind, What: fmt.Sprintf(format, args...), Hint: hint})
	}
	for _, r := range f.fetch.Redirects {
		if r.Downgrade {
			add(record.ProblemDowngrade, "have the server redirect to https", "the server redirects from https to http, to %s: what follows is neither secret nor safe from change", r.To)
		}
	}
	if len(f.fetch.Redirects) > 0 && f.at != nil && !f.own(f.at.url) {
		if len(f.fetch.Headers) > 0 || f.fetch.Cookies {
			add(record.ProblemRedirected, "name that URL itself, if its host is to get them", "the file is at %s: the headers and cookies that you gave were not sent there", f.fetch.URL)
		}
	}
	if f.fetch.Encoding != "" {
		add(record.ProblemCompressed, "", "the server compresses (%s) although the file as it is was asked for: the sizes are of what was sent, and its processor may be the limit", f.fetch.Encoding)
	}
	switch f.fetch.Ranges {
	case record.RangesClaimed:
		add(record.ProblemRanges, "", "the server says Accept-Ranges: bytes and sends the whole where a part is asked for: a download cannot be resumed")
	case record.RangesWrong:
		add(record.ProblemRanges, "", "the server answers 206 with another part than was asked for: a resumed download would be damaged")
	}
	refused, of := 0, 0
	for _, s := range f.fetch.Streams {
		switch s.End {
		case record.EndCut:
			add(record.ProblemCut, "look at the server's log, and at proxies in between", "the server cut %s short: the connection ended after %s of the file, before the length that it had said", s.Transfer, sizeText(s.Bytes))
		case record.EndStalled:
			add(record.ProblemStalled, "", "%s stood still: nothing came for %v after %s", s.Transfer, stillness, sizeText(s.Bytes))
		}
		if s.Transfer != "down-1" {
			of++
			if s.End == record.EndRefused {
				refused++
			}
		}
	}
	if refused > 0 {
		add(record.ProblemRefused, "a limit of connections from one address, perhaps", "the server refused %d of %d further connections", refused, of)
	}
	return append(out, f.addressProblems()...)
}

// tellingRatio is how far apart two addresses are that differ by more than the
// moment: in short runs on one lossy path rates differ by up to five times.
const tellingRatio = 6

// addressProblems compares the addresses with the first one.
func (f *fetcher) addressProblems() []record.Problem {
	var out []record.Problem
	for i, a := range f.fetch.Addresses {
		first := f.fetch.Addresses[0]
		switch {
		case a.Error != "":
			out = append(out, record.Problem{Kind: record.ProblemAddress, What: fmt.Sprintf("the address %s does not work: %s", a.Address, a.Error), Hint: "programs that try it first wait for it"})
		case i > 0 && a.Rate > tellingRatio*first.Rate && first.Rate > 0:
			out = append(out, record.Problem{Kind: record.ProblemAddress, What: fmt.Sprintf("the address %s carries %.1f times as much as %s in its first seconds", a.Address, a.Rate/first.Rate, first.Address), Hint: "-4 and -6 choose the family"})
		case i > 0 && a.Rate > 0 && first.Rate > tellingRatio*a.Rate:
			out = append(out, record.Problem{Kind: record.ProblemAddress, What: fmt.Sprintf("the address %s carries little, and %s %.1f times as much, in their first seconds", a.Address, first.Address, first.Rate/a.Rate), Hint: "-4 and -6 choose the family"})
		}
	}
	return out
}
