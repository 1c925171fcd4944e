package rules

import (
	"strings"
	"testing"
	"time"

	pb "slipway.dev/helper/internal/gen/helperv1"
)

func TestTheLastRuleThatMatchesDecidesAndExcludedFoldersStayExcluded(t *testing.T) {
	set, err := Compile([]*pb.Rule{
		{Match: pb.Rule_MATCH_LITERAL, Text: "node_modules", Basename: true, DirectoryOnly: true},
		{Match: pb.Rule_MATCH_SUFFIX, Text: ".log", Basename: true},
		{Match: pb.Rule_MATCH_LITERAL, Text: "keep.log", Basename: true, Negate: true},
		{Match: pb.Rule_MATCH_PREFIX, Text: "tmp/"},
		{Match: pb.Rule_MATCH_REGEX, Text: "docs/[^/]*\\.pdf"},
		{Match: pb.Rule_MATCH_LITERAL, Text: "node_modules/wanted", Negate: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path      string
		directory bool
		excluded  bool
	}{
		{"node_modules", true, true},
		{"node_modules", false, false},
		{"a/node_modules/b/c.js", false, true},
		{"node_modules/wanted", false, true},
		{"a.log", false, true},
		{"x/a.log", false, true},
		{"x/keep.log", false, false},
		{"tmp", true, false},
		{"tmp/a/b", false, true},
		{"docs/a.pdf", false, true},
		{"docs/x/a.pdf", false, false},
		{"docs/a.pdf.txt", false, false},
		{"docs/a\nb.pdf", false, true},
	} {
		if got := set.ExcludesBelow(row.path, row.directory); got != row.excluded {
			t.Errorf("%q (folder %v): %v", row.path, row.directory, got)
		}
	}
}

func TestRulesThatCannotBeEvaluatedAreErrors(t *testing.T) {
	for _, rule := range []*pb.Rule{
		{Text: "x"}, {Match: 99, Text: "x"}, {Match: pb.Rule_MATCH_REGEX, Text: "("},
		{Match: pb.Rule_MATCH_LITERAL, Text: string(make([]byte, maxText+1))},
	} {
		if _, err := Compile([]*pb.Rule{rule}); err == nil {
			t.Errorf("%v was accepted", rule.Match)
		}
	}
}

// The same kinds of patterns as in the app's own test, as they come over the wire.
func TestHostilePatternsTakeTimeThatGrowsWithThePathOnly(t *testing.T) {
	anyPart := `(?:[\x00-\x7f\x{80}-\x{10ffff}]*/)?[^/]*a[^/]*/`
	for _, text := range []string{
		"^" + strings.Repeat("[^/]*a", 10) + "[^/]*b$",
		"^" + strings.Repeat(anyPart, 4) + "b$",
		"^(a+)+b$",
		"^(?:a|a)+(?:a|a)+b$",
		"^a{0,1}a{0,1}a{0,90}a{90}b$",
	} {
		set, err := Compile([]*pb.Rule{{Match: pb.Rule_MATCH_REGEX, Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		short, long := matchTime(set, 150), matchTime(set, 1200)
		// Eight times the length: a square would be 64 times, and an exponential would never end.
		if long > 40*max(short, 20*time.Microsecond) {
			t.Errorf("%s: %v, and %v for eight times the length", text, short, long)
		}
	}
}

// matchTime is the shortest of several, so that other load does not count.
func matchTime(set *Set, length int) time.Duration {
	path := strings.Repeat("a", length)
	best := time.Hour
	for range 5 {
		start := time.Now()
		set.Excludes(path, false)
		best = min(best, time.Since(start))
	}
	return best
}
