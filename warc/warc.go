// Package warc is the format of web archives, WARC 1.1 (ISO 28500:2017): records of named fields
// and a block of bytes, one after the other, each compressed by itself (a gzip member or a zstd
// frame), so that one record can be read where it begins and a file cut at any record's border
// is a whole file.
//
// AppendRecord writes a record, a Compressor compresses it. What is known of HTTP here is where a
// message's header ends and what its payload is: that is what WARC-Payload-Digest is about. The
// package starts no goroutine, touches no file and reads no clock.
package warc

import (
	"strings"
	"time"
)

// Version begins every record that is written.
const Version = "WARC/1.1"

// The types of records.
const (
	Warcinfo     = "warcinfo"
	Response     = "response"
	Request      = "request"
	Metadata     = "metadata"
	Revisit      = "revisit"
	Resource     = "resource"
	Conversion   = "conversion"
	Continuation = "continuation"
)

// The names of fields. Those from Protocol on are proposals that the field's writers share, no
// part of the standard.
const (
	FieldType          = "WARC-Type"
	FieldRecordID      = "WARC-Record-ID"
	FieldDate          = "WARC-Date"
	FieldContentLength = "Content-Length"
	FieldContentType   = "Content-Type"
	FieldConcurrentTo  = "WARC-Concurrent-To"
	FieldBlockDigest   = "WARC-Block-Digest"
	FieldPayloadDigest = "WARC-Payload-Digest"
	FieldIPAddress     = "WARC-IP-Address"
	FieldRefersTo      = "WARC-Refers-To"
	FieldRefersToURI   = "WARC-Refers-To-Target-URI"
	FieldRefersToDate  = "WARC-Refers-To-Date"
	FieldTargetURI     = "WARC-Target-URI"
	FieldTruncated     = "WARC-Truncated"
	FieldWarcinfoID    = "WARC-Warcinfo-ID"
	FieldFilename      = "WARC-Filename"
	FieldProfile       = "WARC-Profile"
	FieldPayloadType   = "WARC-Identified-Payload-Type"
	FieldProtocol      = "WARC-Protocol"
	FieldCipherSuite   = "WARC-Cipher-Suite"
)

// Content types of blocks.
const (
	TypeFields   = "application/warc-fields"
	TypeRequest  = "application/http;msgtype=request"
	TypeResponse = "application/http;msgtype=response"
)

// ProfileIdentical is the WARC-Profile of a revisit record whose payload is that of the record it
// refers to.
const ProfileIdentical = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

// Why a record holds less than was sent: values of WARC-Truncated.
const (
	TruncatedLength      = "length"      // longer than a limit
	TruncatedTime        = "time"        // it took too long
	TruncatedDisconnect  = "disconnect"  // the connection broke off
	TruncatedUnspecified = "unspecified" // for another reason
)

// Field is one named field.
type Field struct{ Name, Value string }

// Header is the named fields of a record, in their order. Some may occur more than once
// (WARC-Concurrent-To, WARC-Protocol).
type Header []Field

// Get returns the first value of a field, "" if there is none. Names match in any case.
func (h Header) Get(name string) string {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Values returns all values of a field.
func (h Header) Values(name string) (all []string) {
	for i := range h {
		if strings.EqualFold(h[i].Name, name) {
			all = append(all, h[i].Value)
		}
	}
	return all
}

// Record is one record. Content-Length is not among the fields of one that is written: it is the
// block's length.
type Record struct {
	Header Header
	Block  []byte
}

// DateLayout is how WARC-Date is written, in UTC: to the microsecond, of which the standard allows
// nine digits and the field's tools read six.
const DateLayout = "2006-01-02T15:04:05.000000Z"

// Date is t as WARC-Date has it.
func Date(t time.Time) string { return t.UTC().Format(DateLayout) }
