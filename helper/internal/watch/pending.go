package watch

import "time"

const (
	// A file whose writer has not closed it is reported after being still for so long,
	still = 10 * time.Millisecond
	// or, when it never is, at this age, and again at this interval.
	ripe = 250 * time.Millisecond
	// Paths that wait to be reported; more are a loss of events, which the app answers with a scan.
	maxPending = 100_000
)

// pending is what happened and has not been reported, per path.
type pending struct {
	paths    map[string]*mark
	growing  map[string]*mark // those that wait for stillness
	ready    []string         // the others, in order of becoming ready
	overflow bool
}

type mark struct {
	first, last time.Time
	ready       bool
}

func newPending() *pending { return &pending{paths: map[string]*mark{}, growing: map[string]*mark{}} }

// note records that something happened; `whole` that the path can be reported at once.
func (p *pending) note(path string, whole bool, now time.Time) {
	m, known := p.paths[path]
	if !known {
		if len(p.paths) >= maxPending {
			p.lose()
			return
		}
		m = &mark{first: now}
		p.paths[path] = m
		p.growing[path] = m
	}
	m.last = now
	if whole {
		p.finish(path, m)
	}
}

func (p *pending) finish(path string, m *mark) {
	if !m.ready {
		m.ready = true
		delete(p.growing, path)
		p.ready = append(p.ready, path)
	}
}

// lose drops everything: a scan will find it.
func (p *pending) lose() {
	*p = *newPending()
	p.overflow = true
}

// ripen makes paths ready that have been still or have waited long enough, and tells when to look again.
func (p *pending) ripen(now time.Time) (next time.Duration, waiting bool) {
	if len(p.growing) == 0 {
		return 0, false
	}
	next = ripe
	for path, m := range p.growing {
		left := min(still-now.Sub(m.last), ripe-now.Sub(m.first))
		if left <= 0 {
			p.finish(path, m)
		} else {
			next = min(next, left)
		}
	}
	return next, len(p.growing) > 0
}

// take removes and returns up to `most` ready paths.
func (p *pending) take(most int) []string {
	count := min(most, len(p.ready))
	taken := p.ready[:count:count]
	p.ready = p.ready[count:]
	for _, path := range taken {
		delete(p.paths, path)
	}
	return taken
}
