package diff

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

const (
	maxFrame   = 64 << 10  // bytes of a message in a frame
	maxMessage = 256 << 20 // bytes of a message
)

// Errors of the protocol.
var (
	// ErrBroken says that the stream ended or was damaged.
	ErrBroken = errors.New("the connection to the other side broke")
	// ErrProtocol says that the other side sent what no side sends.
	ErrProtocol = errors.New("the other side does not keep to the protocol")
	// ErrTooLarge says that the difference does not fit into a message.
	ErrTooLarge = fmt.Errorf("the difference takes a message of more than %d MiB", maxMessage>>20)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame appends one frame: a uvarint, twice the length plus 1 if it is the last of its
// message; the bytes; and the CRC-32C of all that, in 4 bytes.
func appendFrame(dst, part []byte, last bool) []byte {
	start := len(dst)
	head := uint64(len(part)) << 1
	if last {
		head |= 1
	}
	dst = append(binary.AppendUvarint(dst, head), part...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// writeMessage sends a message and returns the bytes that took. Only the last frame is short.
func writeMessage(w io.Writer, message []byte) (sent int, err error) {
	if len(message) > maxMessage {
		return 0, ErrTooLarge
	}
	var frame []byte
	for last := false; !last; {
		n := min(len(message), maxFrame)
		last = n == len(message)
		frame = appendFrame(frame[:0], message[:n], last)
		message = message[n:]
		if _, err := w.Write(frame); err != nil {
			return sent, fmt.Errorf("%w: %w", ErrBroken, err)
		}
		sent += len(frame)
	}
	return sent, nil
}

// framed is how many bytes writeMessage sends for a message.
func framed(message []byte) (n int) {
	for last := false; !last; {
		part := min(len(message), maxFrame)
		last = part == len(message)
		n += len(binary.AppendUvarint(nil, uint64(part)<<1)) + part + 4
		message = message[part:]
	}
	return n
}

// reader reads messages.
type reader struct {
	r    *bufio.Reader
	read int // bytes so far
}

func newReader(r io.Reader) *reader { return &reader{r: bufio.NewReader(r)} }

// message reads the next message. io.EOF means that the stream ended before it.
func (r *reader) message() ([]byte, error) {
	var message []byte
	for first := true; ; first = false {
		part, last, err := r.frame(message)
		switch {
		case err != nil && first && errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil, io.EOF
		case err != nil:
			return nil, err
		}
		if message = part; last {
			return message, nil
		}
	}
}

// frame appends the next frame's bytes to message.
func (r *reader) frame(message []byte) (_ []byte, last bool, err error) {
	head, n, err := r.head()
	if err != nil {
		return nil, false, err
	}
	size := int(head >> 1)
	if head>>1 > maxFrame || head&1 == 0 && size != maxFrame {
		return nil, false, fmt.Errorf("%w: a frame of %d bytes", ErrProtocol, head>>1)
	}
	if len(message)+size > maxMessage {
		return nil, false, ErrTooLarge
	}
	start := len(message)
	message = append(message, make([]byte, size)...)
	var sum [4]byte
	for _, part := range [][]byte{message[start:], sum[:]} {
		if _, err := io.ReadFull(r.r, part); err != nil {
			return nil, false, broken(err)
		}
	}
	crc := crc32.Update(crc32.Checksum(binary.AppendUvarint(nil, head), castagnoli), castagnoli, message[start:])
	if binary.LittleEndian.Uint32(sum[:]) != crc {
		return nil, false, fmt.Errorf("%w: a checksum is wrong", ErrBroken)
	}
	r.read += n + size + 4
	return message, head&1 != 0, nil
}

// head reads a frame's length. io.EOF means that there is no frame.
func (r *reader) head() (head uint64, n int, err error) {
	for shift := 0; shift < 21; shift += 7 {
		b, err := r.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return 0, 0, io.EOF
		case err != nil:
			return 0, 0, broken(err)
		}
		n++
		head |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if n > 1 && b == 0 {
				break // not the shortest form
			}
			return head, n, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: no frame", ErrProtocol)
}

// broken is a failed read in the middle of something.
func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%w: %w", ErrBroken, err)
}
