package rules

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pb "slipway.dev/helper/internal/gen/helperv1"
)

// The rule lists that the app compiled, with what git says about each path: the app's matcher reads the same files.
func TestRuleVectors(t *testing.T) {
	files, err := filepath.Glob("../../../tests/vectors/rules/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no vectors", err)
	}
	kinds := map[string]pb.Rule_Match{
		"literal": pb.Rule_MATCH_LITERAL,
		"prefix":  pb.Rule_MATCH_PREFIX,
		"suffix":  pb.Rule_MATCH_SUFFIX,
		"regex":   pb.Rule_MATCH_REGEX,
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var vector struct {
			Title string
			Rules []struct {
				Match, Text                     string
				Basename, DirectoryOnly, Negate bool
			}
			Paths map[string]string
		}
		if err := json.Unmarshal(text, &vector); err != nil {
			t.Fatal(file, err)
		}
		list := make([]*pb.Rule, 0, len(vector.Rules))
		for _, rule := range vector.Rules {
			list = append(list, &pb.Rule{
				Match: kinds[rule.Match], Text: rule.Text,
				Basename: rule.Basename, DirectoryOnly: rule.DirectoryOnly, Negate: rule.Negate,
			})
		}
		set, err := Compile(list)
		if err != nil {
			t.Fatal(vector.Title, err)
		}
		for path, want := range vector.Paths {
			got := "kept"
			if set.ExcludesBelow(strings.TrimSuffix(path, "/"), strings.HasSuffix(path, "/")) {
				got = "ignored"
			}
			if got != want {
				t.Errorf("%s: %q is %s, git says %s", vector.Title, path, got, want)
			}
		}
	}
}
