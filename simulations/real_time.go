package simulations

import "time"

// realTime is the clock of a world whose Redis is a real server: it runs on by itself,
// and what nobody does for a while counts as done by nobody.
type realTime struct {
	lease   time.Duration // what the stories' ttl stands for
	touched time.Time     // when somebody did something; under the mutex of the world
	due     time.Duration // until when the story has been told
	slip    time.Duration // how much later than told something happened
}

const (
	silence = 10 * time.Millisecond  // so long nobody does anything, when all wait
	patient = 100 * time.Millisecond // the same, while a call should come back
	late    = 100 * time.Millisecond // so late may be what was due
)

// scaled is a time of a story on the clock of the world.
func (w *World) scaled(d time.Duration) time.Duration {
	if w.real == nil {
		return d
	}
	return time.Duration(float64(d) * float64(w.real.lease) / float64(ttl))
}

// end is when d has passed. A story does not get later and later by what it waits for
// between its sentences.
func (r *realTime) end(now, d time.Duration) time.Duration {
	if r == nil {
		return now + d
	}
	r.slip = max(r.slip, now-late-r.due)
	r.due = max(r.due, now-late) + d
	return r.due
}

// slack is how much later than its budget a wait may end.
func (r *realTime) slack() time.Duration {
	if r == nil {
		return 0
	}
	return late
}

// touch: somebody does something. The caller has the mutex.
func (w *World) touch() {
	if w.real != nil {
		w.real.touched = time.Now()
	}
}

// still waits until nobody has the turn, and somebody stands at a gate that opens, or
// nobody does anything for a while.
func (r *realTime) still(w *World) {
	for ; ; time.Sleep(time.Millisecond / 4) {
		if acting, touched := r.lastAct(w); !acting && (w.next() != nil || time.Since(touched) > r.patience(w)) {
			return
		}
	}
}

func (r *realTime) lastAct(w *World) (acting bool, touched time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acting != nil, r.touched
}

// patience is longer while somebody is in a call that does not wait.
func (r *realTime) patience(w *World) time.Duration {
	for _, a := range w.actors {
		if a.calls() && !a.waits && !a.stopped && !a.partitioned {
			return patient
		}
	}
	return silence
}
