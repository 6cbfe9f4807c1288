package fetch

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"time"
)

// A certificateError says in words of bounded length what is wrong with a server's
// certificate. What the certificate itself says is quoted: a stranger wrote it.
type certificateError struct {
	text string
	err  error
}

func (e *certificateError) Error() string { return e.text }
func (e *certificateError) Unwrap() error { return e.err }

// explainTLS puts a refused certificate into words; another error stays as it is.
func explainTLS(err error) error {
	if text := certificateTrouble(err); text != "" {
		return &certificateError{text, err}
	}
	return err
}

func certificateTrouble(err error) string {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired && e.Cert != nil {
		return validity(e.Cert, time.Now())
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf("certificate is for %s, not for %.*q", certificateNames(e.Certificate), maxShown, e.Host)
	}
	e, ok := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case !ok:
		return ""
	case e.Cert != nil && bytes.Equal(e.Cert.RawIssuer, e.Cert.RawSubject):
		return "certificate is self-signed, or by an authority this machine does not trust"
	}
	return "certificate is by an authority this machine does not trust, or lacks the certificates between"
}

func validity(c *x509.Certificate, now time.Time) string {
	if now.Before(c.NotBefore) {
		return "certificate is not valid before " + c.NotBefore.UTC().Format(time.RFC3339) + ": is this machine's clock right?"
	}
	return "certificate expired at " + c.NotAfter.UTC().Format(time.RFC3339)
}

// certificateNames lists what a certificate is for.
func certificateNames(c *x509.Certificate) string {
	switch n := len(c.DNSNames) + len(c.IPAddresses); {
	case n == 0:
		return "no host"
	case len(c.DNSNames) == 0:
		return fmt.Sprintf("%s%s", c.IPAddresses[0], andMore(n-1))
	default:
		return fmt.Sprintf("%.*q%s", maxShown, c.DNSNames[0], andMore(n-1))
	}
}

func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
