package downstream

import (
	"sync"
	"time"
)

const (
	// Bulk contents may be ahead of the allowed rate by so much, so that a pause is worth its timer;
	burst = 100 * time.Millisecond
	// what a user waits for by so much more, since it goes before bulk.
	lead = time.Second
)

// pace keeps all contents together within a rate. What was sent too early is a debt that time pays back.
type pace struct {
	lock sync.Mutex
	debt float64 // bytes
	last time.Time
}

// take counts bytes in and tells how long to wait before they are sent.
func (p *pace) take(bytes int, rate uint64, bulk bool, now time.Time) time.Duration {
	if rate == 0 {
		return 0
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.debt = max(0, p.debt-max(0, now.Sub(p.last).Seconds())*float64(rate))
	p.last = now
	allowed := burst
	if !bulk {
		allowed = lead
	}
	wait := time.Duration(p.debt/float64(rate)*float64(time.Second)) - allowed
	p.debt += float64(bytes)
	return max(0, wait)
}
