package downstream

import (
	"testing"
	"time"
)

func TestContentsStayWithinTheRate(t *testing.T) {
	var p pace
	start := time.Unix(1000, 0)
	now := start
	sent := 0
	for now.Sub(start) < 10*time.Second {
		now = now.Add(p.take(20_000, 100_000, true, now))
		sent += 20_000
	}
	if rate := float64(sent) / now.Sub(start).Seconds(); rate < 95_000 || rate > 106_000 {
		t.Errorf("%.0f bytes a second", rate)
	}
	if wait := p.take(4096, 100_000, false, now); wait != 0 {
		t.Errorf("an edit waits %v behind bulk", wait)
	}
	for range 20 {
		p.take(20_000, 100_000, false, now)
	}
	if wait := p.take(1, 100_000, false, now); wait < 2*time.Second || wait > 4*time.Second {
		t.Errorf("edits without end wait %v", wait)
	}
	if wait := p.take(1<<30, 0, true, now); wait != 0 {
		t.Errorf("no bound, and still %v", wait)
	}
	if wait := p.take(1, 100_000, true, now.Add(time.Hour)); wait != 0 {
		t.Errorf("after an hour %v", wait)
	}
}
