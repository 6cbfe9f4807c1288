package gate

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"crawler/internal/binform"
)

// GivenUp is a URL that was given up although it may be had later: it was refused or failed
// for a reason that may pass, or its page stands with a status that may or a body that broke off;
// or it was refused as a trap's, which may prove wrong.
type GivenUp struct {
	URL      string
	Reason   Reason // of a page: why its body is not whole; "" if it is given up for its status
	Status   int    // of a page; else 0
	Pattern  string // of Trapped: that refuses it, "" if it was refused on sight
	Recorded bool   // its refusal stands in the records; a page's record always does
}

// MayPass reports whether the reason may pass by itself, which that of a trap does not.
func (g *GivenUp) MayPass() bool { return !strings.HasPrefix(string(g.Reason), trapPrefix) }

// givenUp is a GivenUp as the Gate keeps it, to offer it again.
type givenUp struct {
	offer    offer
	reason   Reason
	status   int
	pattern  string
	admitted bool // it had passed the rules
	charged  bool // it has a place in its host's page budget
}

// givenUps keeps what is given up: on disk alone, a record each.
type givenUps struct {
	journal Journal
	nextID  uint64
	again   uint64 // records with smaller numbers were offered again: the next commit deletes them
}

// note keeps one for a later run.
func (gs *givenUps) note(g givenUp) {
	gs.journal.Note(numberedKey(keyGivenUp, gs.nextID), appendGivenUp(nil, g))
	gs.nextID++
}

// commit deletes the records of what was offered again.
func (gs *givenUps) commit(w Writer) {
	if gs.again > 0 {
		w.DeleteRange(numberedKey(keyRetry, 0), numberedKey(keyRetry, gs.again))
		gs.again = 0
	}
}

// Requeue has the Gate that is restored next offer again what was given up and is wanted, once
// what w gets is committed, and returns what that is. Whoever commits it takes it out of the
// records and the counts.
func Requeue(r Reader, w Writer, wanted func(*GivenUp) bool) (list []GivenUp, err error) {
	waiting, err := wantedRefusals(r, wanted)
	if err != nil {
		return nil, err
	}
	unrecorded, err := withdrawBacklog(r, w, waiting)
	if err != nil {
		return nil, err
	}
	err = eachGivenUp(r, keyGivenUp, func(key, value []byte, g givenUp) error {
		out := g.public()
		if !wanted(&out) {
			return nil
		}
		at := refusal{out.URL, out.Reason}
		out.Recorded = out.Status > 0 || unrecorded[at] == 0
		if !out.Recorded {
			unrecorded[at]--
		}
		list = append(list, out)
		w.Delete(key)
		w.Put(append(recordKey(keyRetry), key[len(key)-8:]...), value)
		return nil
	})
	return list, err
}

func (g *givenUp) public() GivenUp {
	return GivenUp{URL: g.offer.URL.String(), Reason: g.reason, Status: g.status, Pattern: g.pattern}
}

// refusal is what a line of skipped.jsonl is about.
type refusal struct {
	url    string
	reason Reason
}

// wantedRefusals counts the refusals that are wanted.
func wantedRefusals(r Reader, wanted func(*GivenUp) bool) (map[refusal]int, error) {
	waiting := map[refusal]int{}
	return waiting, eachGivenUp(r, keyGivenUp, func(_, _ []byte, g givenUp) error {
		if out := g.public(); out.Status == 0 && wanted(&out) {
			waiting[refusal{out.URL, out.Reason}]++
		}
		return nil
	})
}

// withdrawBacklog takes those that wait out of the refusals that are not recorded yet, and
// counts them.
func withdrawBacklog(r Reader, w Writer, waiting map[refusal]int) (map[refusal]int, error) {
	var backlog, kept []Skip
	if err := readJSON(r, keyBacklog, &backlog); err != nil {
		return nil, err
	}
	taken := map[refusal]int{}
	for _, s := range backlog {
		if at := (refusal{s.URL, s.Reason}); waiting[at] > taken[at] {
			taken[at]++
			continue
		}
		kept = append(kept, s)
	}
	data, err := json.Marshal(kept)
	if err == nil {
		w.Put(recordKey(keyBacklog), data)
	}
	return taken, err
}

// eachGivenUp calls fn for everything that was given up, in that sequence.
func eachGivenUp(r Reader, records string, fn func(key, value []byte, g givenUp) error) error {
	return r.Scan(recordKey(records), func(key, value []byte) error {
		g, err := readGivenUp(value)
		if err != nil {
			return damaged(records, err)
		}
		return fn(key, value, g)
	})
}

// retry offers again what Requeue has listed: closed hosts are asked again.
func retry(g *Gate, s State) error {
	a := &g.admitter
	return eachGivenUp(s.Records, keyRetry, func(_, _ []byte, u givenUp) error {
		if a.givenUps.again == 0 {
			a.givenUps.again = a.givenUps.nextID
			g.queue.reopen()
			g.journal.Changed(0)
		}
		u.offer.Attempt, u.offer.Since = 0, time.Time{}
		switch {
		case !u.admitted:
			a.reported.forget(u.offer.URL.String(), u.reason)
			a.admit(u.offer)
		case u.charged:
			g.queue.frontier.Requeue(u.offer.Item)
		case !g.queue.frontier.HasRoom(u.offer.URL):
			a.refusals.add(u.offer.refused(HostBudget))
		default:
			g.queue.frontier.Push(u.offer.Item)
		}
		return nil
	})
}

// Flags of a record of a URL that was given up.
const (
	givenUpAdmitted = 1 << iota
	givenUpCharged
	givenUpKnown = 1<<iota - 1
)

func appendGivenUp(b []byte, g givenUp) []byte {
	var flags byte
	if g.admitted {
		flags |= givenUpAdmitted
	}
	if g.charged {
		flags |= givenUpCharged
	}
	b = binform.AppendText(append(b, flags), string(g.reason))
	b = binform.AppendText(b, g.pattern)
	return appendOffer(binary.AppendUvarint(b, uint64(g.status)), g.offer)
}

// readGivenUp undoes appendGivenUp.
func readGivenUp(b []byte) (g givenUp, err error) {
	if len(b) == 0 {
		return g, errShort
	}
	if b[0]&^givenUpKnown != 0 {
		return g, fmt.Errorf("unknown flags %#x", b[0])
	}
	g.admitted, g.charged = b[0]&givenUpAdmitted != 0, b[0]&givenUpCharged != 0
	reason, b, ok := binform.CutText(b[1:])
	if !ok {
		return g, errShort
	}
	pattern, b, ok := binform.CutText(b)
	if !ok {
		return g, errShort
	}
	g.reason, g.pattern = Reason(reason), string(pattern)
	status, n := binary.Uvarint(b)
	if n <= 0 || status > 999 {
		return g, errShort
	}
	g.status = int(status)
	g.offer, b, err = readOffer(b[n:])
	if err == nil && len(b) > 0 {
		err = fmt.Errorf("%d bytes too many", len(b))
	}
	return g, err
}
