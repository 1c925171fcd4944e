// Package watch tells what changes below the root as it happens: by events, or by polling where the system
// grants no more of them. What it names is a hint with a fresh entry; what it loses it says.
package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
	pb "slipway.dev/helper/internal/gen/helperv1"
	"slipway.dev/helper/internal/root"
	"slipway.dev/helper/internal/rules"
	"slipway.dev/helper/internal/scan"
)

const (
	maxPush      = 512     // changes of one report
	digestBelow  = 1 << 20 // bytes; smaller files are reported with their digest,
	digestMost   = 256     // unless more than so many have been reported in digestWindow: the app asks where it needs one
	digestWindow = 500 * time.Millisecond
	defaultPoll  = time.Second
	rootInterval = 3 * time.Second
	maxNamed     = 1_000 // names that cannot travel and are told
)

// Options of a Watcher. The callbacks are called one at a time; Push may block, and what happens meanwhile is
// gathered into the next one.
type Options struct {
	Root         *root.Root
	Rules        *rules.Set
	SingleName   string
	Poll         bool
	PollInterval time.Duration
	Push         func(*pb.Changes) error
	State        func(*pb.WatchState) error
}

// Watcher watches until its context ends.
type Watcher struct {
	Options
	notifier *notifier
	pending  *pending
	polled   map[string]struct{} // folders that are polled, each with all below it
	snapshot map[string]uint64   // what polling found last
	buffer   []byte
	lost     bool            // the root is not what it was
	problems []*pb.Problem   // that wait to be reported
	named    map[string]bool // what was reported because of its name
	recent   int             // files hashed since
	since    time.Time
}

// New begins to watch: what happens after it returned is reported by Run.
func New(ctx context.Context, options Options) (*Watcher, error) {
	w := &Watcher{Options: options, pending: newPending(), polled: map[string]struct{}{}, named: map[string]bool{}, buffer: make([]byte, 64<<10)}
	if w.PollInterval <= 0 {
		w.PollInterval = defaultPoll
	}
	if !w.Poll {
		notifier, err := newNotifier(w.Root)
		if err != nil {
			w.Poll = true
			_ = w.State(&pb.WatchState{Polling: true, Reason: "inotify: " + root.Words(err)})
		}
		w.notifier = notifier
	}
	if w.Poll {
		w.polled[""] = struct{}{}
		w.poll(ctx, false)
		return w, nil
	}
	if err := w.add(ctx, "", false); err != nil {
		w.notifier.file.Close()
		return nil, err
	}
	if len(w.polled) > 0 {
		w.poll(ctx, false)
	}
	return w, nil
}

// add watches a folder and all below it; `report` also reports what is there: it was made or moved here just now.
func (w *Watcher) add(ctx context.Context, start string, report bool) error {
	if w.SingleName != "" {
		return w.watchFolder("")
	}
	walker := scan.Walker{Root: w.Root, Rules: w.Rules, Folder: w.watchFolder}
	_, err := walker.Walk(ctx, start, func(found scan.Found) error {
		if report && found.Problem == "" {
			w.pending.note(found.Path, true, time.Now())
		}
		return nil
	})
	return err
}

func (w *Watcher) watchFolder(path string) error {
	if w.isPolled(path) {
		return nil
	}
	err := w.notifier.add(path)
	if !errors.Is(err, errLimit) {
		return err
	}
	first := len(w.polled) == 0
	w.polled[path] = struct{}{}
	if !first {
		return nil
	}
	limit, _ := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	return w.State(&pb.WatchState{Polling: true, Reason: fmt.Sprintf(
		"The node's limit of file watches is reached (fs.inotify.max_user_watches = %s), so some folders are looked at every %s instead.",
		strings.TrimSpace(string(limit)), w.PollInterval)})
}

func (w *Watcher) isPolled(path string) bool {
	if len(w.polled) == 0 {
		return false
	}
	for {
		if _, ok := w.polled[path]; ok {
			return true
		}
		if path == "" {
			return false
		}
		path, _ = root.Split(path)
	}
}

// Run reports until the context ends or a callback fails.
func (w *Watcher) Run(ctx context.Context) error {
	events := make(chan []byte)
	failed := make(chan error, 1)
	if w.notifier != nil {
		defer w.notifier.file.Close()
		go w.read(ctx, events, failed)
	}
	pushed := make(chan error, 1)
	pushing := false
	stillness := time.NewTimer(time.Hour)
	checks := time.NewTimer(w.interval())
	defer checks.Stop()
	for {
		if !pushing {
			if changes := w.collect(); changes != nil {
				pushing = true
				go func() { pushed <- w.Push(changes) }()
			}
		}
		if wait, waiting := w.pending.ripen(time.Now()); waiting {
			stillness.Reset(wait)
		} else if len(w.pending.ready) > 0 && !pushing {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			return err
		case err := <-pushed:
			if err != nil {
				return err
			}
			pushing = false
		case buffer := <-events:
			w.take(ctx, buffer)
		case <-stillness.C:
		case <-checks.C:
			w.check(ctx)
			checks.Reset(w.interval())
		}
	}
}

// interval is the time between two looks: rare where events tell of everything but a root's parent being moved.
func (w *Watcher) interval() time.Duration {
	if len(w.polled) > 0 {
		return w.PollInterval
	}
	return rootInterval
}

func (w *Watcher) read(ctx context.Context, events chan<- []byte, failed chan<- error) {
	buffer := make([]byte, 64<<10)
	for {
		length, err := w.notifier.file.Read(buffer)
		if err != nil {
			if ctx.Err() == nil {
				failed <- err
			}
			return
		}
		select {
		case events <- append([]byte(nil), buffer[:length]...):
		case <-ctx.Done():
			return
		}
	}
}

func (w *Watcher) take(ctx context.Context, buffer []byte) {
	now := time.Now()
	for _, event := range decode(buffer) {
		if event.mask&unix.IN_Q_OVERFLOW != 0 {
			// Folders made meanwhile are not watched yet.
			w.pending.lose()
			_ = w.add(ctx, "", false)
			continue
		}
		folder, ok := w.notifier.paths[event.mark]
		if !ok {
			continue
		}
		if event.mask&(unix.IN_IGNORED|unix.IN_UNMOUNT|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0 {
			w.self(folder, event)
			continue
		}
		w.happened(ctx, folder, event, now)
	}
}

// self takes what is said of a watched folder itself. Its parent's events tell the rest, except for the root's.
func (w *Watcher) self(folder string, event event) {
	if event.mask&(unix.IN_IGNORED|unix.IN_UNMOUNT) != 0 {
		delete(w.notifier.paths, event.mark)
		if w.notifier.marks[folder] == event.mark {
			delete(w.notifier.marks, folder)
		}
	}
	if folder == "" {
		w.checkRoot()
	}
}

func (w *Watcher) happened(ctx context.Context, folder string, event event, now time.Time) {
	if event.name == "" || w.Root.Hides(event.name) {
		return
	}
	if !utf8.ValidString(event.name) {
		w.cannotTravel(scan.Escape(root.Join(folder, event.name)))
		return
	}
	path := root.Join(folder, event.name)
	directory := event.mask&unix.IN_ISDIR != 0
	if w.SingleName != "" && path != w.SingleName || root.CheckPath(path) != nil || w.Rules.Excludes(path, directory) {
		return
	}
	switch {
	case directory && event.mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		if w.SingleName == "" {
			w.notifier.remove(path)
			_ = w.add(ctx, path, true) // what vanished again has events of its own
		}
	case directory && event.mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
		w.notifier.remove(path)
		delete(w.polled, path)
		w.pending.note(path, true, now)
	case event.mask&(unix.IN_CREATE|unix.IN_MODIFY) != 0:
		w.pending.note(path, false, now)
	default:
		w.pending.note(path, true, now)
	}
}

// cannotTravel has something named once whose name is not valid.
func (w *Watcher) cannotTravel(escaped string) {
	if w.SingleName != "" || w.named[escaped] || len(w.named) >= maxNamed {
		return
	}
	w.named[escaped] = true
	w.problems = append(w.problems, &pb.Problem{Path: escaped, Message: "the name is not valid UTF-8 or too long"})
}

// collect makes the next report of what is ready, or nil.
func (w *Watcher) collect() *pb.Changes {
	if w.pending.overflow {
		w.pending.overflow = false
		return &pb.Changes{Overflow: true, Root: w.Root.IdentityNow()}
	}
	paths := w.pending.take(maxPush)
	if len(paths) == 0 && len(w.problems) == 0 {
		return nil
	}
	changes := &pb.Changes{Root: w.Root.IdentityNow(), Problems: w.problems}
	w.problems = nil
	for _, path := range paths {
		entry, err := w.entry(path)
		if err != nil {
			changes.Problems = append(changes.Problems, &pb.Problem{Path: path, Message: root.Words(err)})
		} else {
			changes.Changes = append(changes.Changes, &pb.Change{Path: path, Entry: entry})
		}
	}
	return changes
}

// mayHash bounds what is read without being asked for: in a flood most of it is the echo of what the app wrote, and
// of new files no digest is needed before their content is.
func (w *Watcher) mayHash(now time.Time) bool {
	if now.Sub(w.since) > digestWindow {
		w.recent, w.since = 0, now
	}
	w.recent++
	return w.recent <= digestMost
}

// entry is what is at a path now. A file that is being written has no digest: its end will be an event.
func (w *Watcher) entry(path string) (*pb.Entry, error) {
	entry, err := w.Root.Stat(path)
	if err != nil || entry.Kind != pb.EntryKind_ENTRY_KIND_FILE || entry.Size > digestBelow || !w.mayHash(time.Now()) {
		return entry, err
	}
	read, err := w.Root.Hash(path, w.buffer)
	switch {
	case err == nil, errors.Is(err, root.ErrChanged):
		return read, nil
	case root.IsMissing(err), errors.Is(err, root.ErrKind):
		return w.Root.Stat(path)
	default:
		return entry, nil // reading it will name the error
	}
}

// check polls what is polled, and looks whether the root is still the same.
func (w *Watcher) check(ctx context.Context) {
	w.checkRoot()
	if len(w.polled) > 0 {
		w.poll(ctx, true)
	}
}

// checkRoot reports a root that went away or became another one, once, and its return.
func (w *Watcher) checkRoot() {
	lost := !w.Root.Same()
	if lost != w.lost {
		w.lost = lost
		w.pending.lose()
	}
}
