// Package rules tells what is excluded, by the neutral rules that the app compiled from its dialects.
package rules

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"slipway.dev/helper/internal/gen/helperv1"
)

const (
	maxRules = 10_000
	maxText  = 16 << 10 // bytes of one rule
)

// Set is a compiled list of rules. The last rule that matches decides.
type Set struct{ rules []rule }

type rule struct {
	match         func(subject string) bool
	basename      bool
	directoryOnly bool
	negate        bool
}

// Compile checks and compiles rules; none is a set that excludes nothing.
func Compile(list []*helperv1.Rule) (*Set, error) {
	if len(list) > maxRules {
		return nil, fmt.Errorf("more than %d rules", maxRules)
	}
	set := &Set{rules: make([]rule, 0, len(list))}
	for i, source := range list {
		match, err := matcher(source)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i, err)
		}
		set.rules = append(set.rules, rule{match, source.GetBasename(), source.GetDirectoryOnly(), source.GetNegate()})
	}
	return set, nil
}

func matcher(source *helperv1.Rule) (func(string) bool, error) {
	text := source.GetText()
	if len(text) > maxText {
		return nil, errors.New("too long")
	}
	switch source.GetMatch() {
	case helperv1.Rule_MATCH_LITERAL:
		return func(subject string) bool { return subject == text }, nil
	case helperv1.Rule_MATCH_PREFIX:
		return func(subject string) bool { return strings.HasPrefix(subject, text) }, nil
	case helperv1.Rule_MATCH_SUFFIX:
		return func(subject string) bool { return strings.HasSuffix(subject, text) }, nil
	case helperv1.Rule_MATCH_REGEX:
		// Names may hold newlines: '.' takes them too, and '$' is the end of the text only.
		expression, err := regexp.Compile(`(?s)\A(?:` + text + `)\z`)
		if err != nil {
			return nil, err
		}
		return expression.MatchString, nil
	default:
		return nil, fmt.Errorf("unknown kind of match %d", source.GetMatch())
	}
}

// Excludes decides about one path whose parents are not excluded.
func (s *Set) Excludes(path string, directory bool) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(s.rules) - 1; i >= 0; i-- {
		rule := &s.rules[i]
		if rule.directoryOnly && !directory {
			continue
		}
		subject := path
		if rule.basename {
			subject = base
		}
		if rule.match(subject) {
			return !rule.negate
		}
	}
	return false
}

// ExcludesBelow decides about a path of which nothing is known: an excluded parent excludes it for good.
func (s *Set) ExcludesBelow(path string, directory bool) bool {
	if len(s.rules) == 0 {
		return false
	}
	for i := range len(path) {
		if path[i] == '/' && s.Excludes(path[:i], true) {
			return true
		}
	}
	return s.Excludes(path, directory)
}
