package rules

import (
	"testing"
	"time"

	pb "slipway.dev/helper/internal/gen/helperv1"
)

// Patterns may come from a repository: whatever they are, they compile or are refused, and take bounded time.
func FuzzRules(f *testing.F) {
	f.Add(int32(pb.Rule_MATCH_REGEX), "^(a+)+b$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", true)
	f.Add(int32(pb.Rule_MATCH_SUFFIX), ".log", "a/b.log", false)
	f.Add(int32(pb.Rule_MATCH_LITERAL), "", "", true)
	f.Fuzz(func(t *testing.T, match int32, text, path string, flag bool) {
		set, err := Compile([]*pb.Rule{{Match: pb.Rule_Match(match), Text: text, Basename: flag, DirectoryOnly: !flag, Negate: false}})
		if err != nil || len(path) > 4096 {
			return
		}
		began := time.Now()
		set.ExcludesBelow(path, flag)
		if took := time.Since(began); took > 5*time.Second {
			t.Fatalf("%v", took)
		}
	})
}
