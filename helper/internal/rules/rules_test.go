package rules

import (
	"testing"

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
