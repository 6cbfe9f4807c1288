package diff

import (
	"errors"
	"fmt"
	"io"
)

// Peer is a side that answers: a crawl here (Local), or one behind a stream (Remote). It is
// used by one Compare, and by one goroutine.
type Peer struct {
	local  *side
	remote io.Writer
	r      *reader

	asked   [][]byte // requests without an answer; of a remote one only their first bytes
	traffic Traffic
	number  int // 0 for A, 1 for B
}

// SideError is an error of one side of a comparison: of its crawl, or of the way to it.
type SideError struct {
	Side int // 0 for A, 1 for B
	Err  error
}

func (e *SideError) Error() string { return e.Err.Error() }

func (e *SideError) Unwrap() error { return e.Err }

// failed says that err is this side's.
func (p *Peer) failed(err error) error {
	var known *SideError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &SideError{p.number, err}
}

// Traffic is what passed between the sides, frames included. Between two crawls on one machine
// it is what would have passed.
type Traffic struct {
	Sent     int `json:"sent"`     // bytes to the other side
	Received int `json:"received"` // bytes from it
	Rounds   int `json:"rounds"`   // times that an answer was waited for
	Texts    int `json:"texts"`    // of the bytes, those for the texts of what differs
}

// add adds up what passed in two directions.
func (t Traffic) add(o Traffic) Traffic {
	return Traffic{t.Sent + o.Sent, t.Received + o.Received, t.Rounds + o.Rounds, t.Texts + o.Texts}
}

// Local is a crawl here.
func Local(s Source) *Peer { return &Peer{local: &side{source: s}} }

// Remote is a crawl that Serve answers for at the other end of a stream.
func Remote(rw io.ReadWriter) *Peer { return &Peer{remote: rw, r: newReader(rw)} }

// RemoteError is what the other side says went wrong there. It is a stranger's text.
type RemoteError struct{ Text string }

func (e *RemoteError) Error() string { return "the other side says: " + e.Text }

// ask sends a request, whose answer must be taken before long: answers wait in the stream.
func (p *Peer) ask(request []byte) error {
	if len(p.asked) == 0 {
		p.traffic.Rounds++
	}
	if p.local != nil {
		p.traffic.Sent += framed(request)
		p.asked = append(p.asked, request)
		return nil
	}
	n, err := writeMessage(p.remote, request)
	p.traffic.Sent += n
	p.asked = append(p.asked, request[:1])
	if err != nil && !errors.Is(err, ErrTooLarge) {
		err = p.lastWords(err)
	}
	return p.failed(err)
}

// lastWords looks for an error that the other side has sent before it closed the stream.
func (p *Peer) lastWords(err error) error {
	var remote *RemoteError
	for range p.asked {
		if _, said := p.take(); errors.As(said, &remote) {
			return said
		}
	}
	return err
}

// answer returns the answer to the oldest request without its kind.
func (p *Peer) answer() ([]byte, error) {
	if p.local == nil {
		answer, err := p.take()
		return answer, p.failed(err)
	}
	request := p.asked[0]
	p.asked = p.asked[1:]
	answer, err := p.local.answer(request)
	if err == nil && len(answer) > maxMessage {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, p.failed(err)
	}
	p.traffic.Received += framed(answer)
	return answer[1:], nil
}

// take reads an answer from the stream.
func (p *Peer) take() ([]byte, error) {
	if len(p.asked) == 0 {
		return nil, fmt.Errorf("%w: nothing was asked", ErrBroken)
	}
	kind := p.asked[0][0]
	p.asked = p.asked[1:]
	before := p.r.read
	answer, err := p.r.message()
	p.traffic.Received += p.r.read - before
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, ErrBroken):
		return nil, broken(err)
	case err != nil:
		return nil, err
	case len(answer) > 0 && answer[0] == answerError:
		return nil, &RemoteError{string(answer[1:min(len(answer), longestText)])}
	case len(answer) == 0 || answer[0] != kind:
		return nil, fmt.Errorf("%w: an answer to something else", ErrProtocol)
	}
	return answer[1:], nil
}

// one asks for one thing.
func (p *Peer) one(kind byte, body ...byte) ([]byte, error) {
	if err := p.ask(append([]byte{kind}, body...)); err != nil {
		return nil, err
	}
	return p.answer()
}

// maxRequests is how many requests Serve answers.
const maxRequests = 10_000

// Serve answers for a crawl until the stream ends. It changes nothing. What goes wrong here is
// told to the other side, and returned.
func Serve(rw io.ReadWriter, s Source) error { return (&side{source: s}).serve(rw) }

func (s *side) serve(rw io.ReadWriter) error {
	r := newReader(rw)
	for range maxRequests {
		request, err := r.message()
		if err == io.EOF {
			return nil
		}
		var answer []byte
		if err == nil {
			answer, err = s.answer(request)
		}
		if err == nil {
			_, err = writeMessage(rw, answer)
		}
		if err != nil {
			text := err.Error()
			writeMessage(rw, append([]byte{answerError}, text[:min(len(text), longestText)]...))
			return err
		}
	}
	return fmt.Errorf("%w: more than %d requests", ErrProtocol, maxRequests)
}
