package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/net/http/httpguts"
)

// Reason says in one word why a page could not be fetched. The set is closed:
// [Reasons] lists it, and programs may write and compare its values.
type Reason string

const (
	ReasonRequest   Reason = "request"          // not sent: zero URL, closed client, failed Prepare
	ReasonAddress   Reason = "address"          // the address may not be dialled: see Guard
	ReasonPort      Reason = "port"             // the port may not be dialled: see Guard
	ReasonNoHost    Reason = "no-host"          // DNS answered: there is no such host
	ReasonDNS       Reason = "dns"              // DNS did not answer, or answered with a failure
	ReasonConnect   Reason = "connect"          // no TCP connection: refused, unreachable or late
	ReasonProxy     Reason = "proxy"            // the proxy was not reached or did not connect
	ReasonTLS       Reason = "tls"              // bad certificate
	ReasonHandshake Reason = "handshake"        // the TLS handshake failed otherwise
	ReasonTimeout   Reason = "timeout"          // connected, but the page did not come in time
	ReasonSlow      Reason = "slow"             // the body comes more slowly than Config.MinRate
	ReasonReset     Reason = "reset"            // the connection was closed before the header's end
	ReasonProtocol  Reason = "protocol"         // the answer is not HTTP
	ReasonHeader    Reason = "header-too-large" // the header exceeds Config.MaxHeader
	ReasonBody      Reason = "body"             // the body ended early, or its framing is broken
	ReasonDecode    Reason = "decode"           // the coding is broken, unknown or too deep
	ReasonBomb      Reason = "bomb"             // decoded, the body is over Config.MaxRatio
	ReasonLocal     Reason = "local"            // no descriptors, ports or memory are left here
	ReasonCanceled  Reason = "canceled"         // the caller's context ended
)

// Reasons lists every Reason an Error may carry.
func Reasons() []Reason {
	return []Reason{
		ReasonRequest, ReasonAddress, ReasonPort, ReasonNoHost, ReasonDNS, ReasonConnect, ReasonProxy,
		ReasonTLS, ReasonHandshake, ReasonTimeout, ReasonSlow, ReasonReset, ReasonProtocol, ReasonHeader, ReasonBody,
		ReasonDecode, ReasonBomb, ReasonLocal, ReasonCanceled,
	}
}

// Temporary reports whether the same request may well succeed later. A canceled
// fetch says nothing about the server and counts as not temporary: its caller
// knows whether to ask again.
func (r Reason) Temporary() bool {
	switch r {
	case ReasonDNS, ReasonConnect, ReasonProxy, ReasonHandshake, ReasonTimeout, ReasonSlow, ReasonReset,
		ReasonProtocol, ReasonBody, ReasonLocal:
		return true
	default:
		return false
	}
}

// Error is what Get returns when it fails.
type Error struct {
	Reason Reason
	URL    string // the URL asked for
	Err    error  // the cause, from net, crypto/tls, net/http or this package
}

// maxShown bounds how much of a URL an error message repeats.
const maxShown = 120

func (e *Error) Error() string {
	u := e.URL
	if len(u) > maxShown {
		u = u[:maxShown] + "..."
	}
	return u + ": " + string(e.Reason) + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

var (
	errClosed  = errors.New("client is closed")
	errZeroURL = errors.New("zero URL")
	errSwitch  = errors.New("server switched protocols unasked")
	errBomb    = errors.New("body grows too much in decoding")
	// errHeaderSize says that the header, with those of interim answers, exceeds its limit.
	errHeaderSize = errors.New("header too large")
	errAttempts   = fmt.Errorf("%d connections were no good for the request", maxAttempts)

	errHeaderField = errors.New("not a field HTTP allows here")
	errPrepared    = errors.New("more than the header was changed")
)

// A prepareError marks a failure of Config.Prepare, whatever it is made of.
type prepareError struct{ err error }

func (e *prepareError) Error() string { return "preparing the request: " + e.err.Error() }
func (e *prepareError) Unwrap() error { return e.err }

// A dialError marks a failure as one of Config.DialContext or of our dialer:
// whatever happens there, there is no connection.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// A placeError marks a page that has got no connection, all that may be open being in use.
type placeError struct{ err error }

func (e *placeError) Error() string { return "no connection became free: " + e.err.Error() }
func (e *placeError) Unwrap() error { return e.err }

// A proxyError marks a refusal by the proxy.
type proxyError struct{ status string }

func (e *proxyError) Error() string { return "proxy refused to connect: " + e.status }

// A decodeError marks a failure of a content decoder.
type decodeError struct {
	coding string
	err    error
}

func (e *decodeError) Error() string { return e.coding + ": " + e.err.Error() }
func (e *decodeError) Unwrap() error { return e.err }

// refusal is the reason of an error that came before anything was dialled.
func refusal(err error) Reason {
	switch {
	case errors.Is(err, ErrAddress):
		return ReasonAddress
	case errors.Is(err, ErrPort):
		return ReasonPort
	default:
		return ReasonRequest
	}
}

// classify finds the reason of a failure before the header was read. parent is
// the caller's context: if it has ended, whatever else went wrong follows from
// that.
func classify(parent context.Context, err error) Reason {
	if r := classifyAny(parent, err); r != "" {
		return r
	}
	switch {
	case isCertificate(err):
		return ReasonTLS
	case isHandshake(err):
		return ReasonHandshake
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), isCut(err.Error()):
		return ReasonReset
	default:
		return ReasonProtocol
	}
}

// classifyBody finds the reason of a failure while the body was read: broken
// framing, unless there is another.
func classifyBody(parent context.Context, err error) Reason {
	if r := classifyAny(parent, err); r != "" {
		return r
	}
	var decode *decodeError
	if errors.As(err, &decode) {
		return ReasonDecode
	}
	return ReasonBody
}

// classifyAny finds the reasons that may come up in either half; "" is none.
func classifyAny(parent context.Context, err error) Reason {
	var dns *net.DNSError
	var dial *dialError
	var prepare *prepareError
	switch {
	case parent.Err() != nil:
		return ReasonCanceled
	case errors.As(err, &prepare): // before the errors that may be wrapped in it
		return ReasonRequest
	case errors.Is(err, errBomb):
		return ReasonBomb
	case errors.Is(err, errSlow):
		return ReasonSlow
	case errors.Is(err, ErrAddress):
		return ReasonAddress
	case isLocal(err):
		return ReasonLocal
	case isProxy(err):
		return ReasonProxy
	case errors.As(err, &dns) && dns.IsNotFound:
		return ReasonNoHost
	case errors.As(err, &dns):
		return ReasonDNS
	case errors.As(err, &dial):
		return ReasonConnect // timeouts too: here the host is at fault, not the page
	case isTimeout(err):
		return ReasonTimeout
	case isHeaderTooLarge(err): // in HTTP/2 a stream error too
		return ReasonHeader
	case isMalformedStream(err):
		return ReasonProtocol
	case isReset(err):
		return ReasonReset
	default:
		return ""
	}
}

func isLocal(err error) bool {
	var place *placeError
	if errors.As(err, &place) {
		return true
	}
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func isProxy(err error) bool {
	var refused *proxyError
	var op *net.OpError
	return errors.As(err, &refused) ||
		errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect")
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// streamError has the fields of net/http's own HTTP/2 stream error, which
// errors.As fills in here since the type itself is not exported.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "HTTP/2 stream reset" }

func isReset(err error) bool {
	var stream streamError
	return errors.Is(err, errAttempts) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) ||
		errors.As(err, &stream) ||
		hasText(err, "server sent GOAWAY", "server closed idle connection", "http2: client conn")
}

// isMalformedStream reports an HTTP/2 stream that our side reset (RFC 9113, section
// 8.1.1), because what the server sent on it makes no sense.
func isMalformedStream(err error) bool {
	const protocolError = 1 // section 7
	var stream streamError
	return errors.As(err, &stream) && stream.Code == protocolError && !hasText(err, "received from peer")
}

// isHeaderTooLarge knows net/http's spellings, too: one for HTTP/1.1 and two for HTTP/2.
func isHeaderTooLarge(err error) bool {
	return errors.Is(err, errHeaderSize) || hasText(err, "server response headers exceeded", "header list larger than", "header list too large")
}

func isCertificate(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert) || hasText(err, "x509: ")
}

// isHandshake reports an alert, or something that is not TLS.
func isHandshake(err error) bool {
	var record tls.RecordHeaderError
	var op *net.OpError
	return errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") ||
		hasText(err, "tls: ")
}

// isCut reports whether an answer that net/http takes for malformed may be one that broke off
// within a line of its header: net/http does not say so, but complains about the part of the
// line that it has.
func isCut(msg string) bool {
	if line, ok := complaint(msg, "malformed HTTP response "); ok {
		return line != "" && (strings.HasPrefix("HTTP/1.1 ", line) || strings.HasPrefix("HTTP/1.0 ", line))
	}
	if code, ok := complaint(msg, "malformed HTTP status code "); ok {
		return len(code) < 3 && strings.Trim(code, "0123456789") == ""
	}
	name, ok := complaint(msg, "malformed MIME header: missing colon: ")
	return ok && httpguts.ValidHeaderFieldName(name)
}

// complaint returns what a message that says so quotes.
func complaint(msg, says string) (quoted string, ok bool) {
	_, after, ok := strings.Cut(msg, says)
	if !ok {
		return "", false
	}
	quoted, err := strconv.Unquote(after)
	return quoted, err == nil
}

// hasText is for errors that net/http and crypto/tls make without a type. The
// tests provoke each of them, so that a new wording is noticed.
func hasText(err error, texts ...string) bool {
	msg := err.Error()
	for _, t := range texts {
		if strings.Contains(msg, t) {
			return true
		}
	}
	return false
}
