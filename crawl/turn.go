package crawl

import (
	"context"
	"fmt"
	"time"

	"crawler/frontier"
)

// A robots.txt may redirect to another host, which has a clock of its own: a worker asks the
// coordinator for its turn there.

// turn is a worker's question to the coordinator.
type turn struct {
	res   *frontier.Reservation
	ends  bool
	asked time.Time // of one that ends: when the request was sent, at the latest
	reply chan struct{}
}

const (
	// maxLeased is how long a worker waits for a host that another has leased. Two hosts whose
	// robots.txt redirect to each other would wait for ever.
	maxLeased = 10 * time.Second
	// maxReserved is how far off a turn may be: the robots.txt is unreachable then, and tried again
	// as one that is.
	maxReserved = time.Minute
)

// turn waits until a host may be asked; done must be called when it was, or will not be.
func (r *ring) turn(ctx context.Context, host string) (done func(asked bool), err error) {
	t := turn{res: &frontier.Reservation{Host: host}, reply: make(chan struct{}, 1)}
	ask := func() {
		r.turns <- t
		<-t.reply
	}
	end := func(asked bool) {
		if t.ends = true; asked {
			t.asked = time.Now()
		}
		ask()
	}
	var mine time.Time
	began := time.Now()
	for ask(); ; ask() {
		if t.res.Mine && mine.IsZero() {
			mine = time.Now()
		}
		wait := time.Until(t.res.At)
		if time.Since(began)+wait > maxReserved && !t.res.Ok || wait > maxReserved {
			end(false)
			return nil, fmt.Errorf("%s is not to be asked for %v", host, wait.Round(time.Second))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			end(false)
			return nil, ctx.Err()
		}
		if t.res.Ok || !mine.IsZero() && time.Since(mine) >= maxLeased {
			return end, nil
		}
	}
}

// answer is the coordinator's part.
func (c *coordinator) answer(t turn) {
	if t.ends {
		c.gate.Queue().Unreserve(t.res, t.asked)
	} else {
		c.gate.Queue().Reserve(t.res, time.Now())
	}
	t.reply <- struct{}{}
}
