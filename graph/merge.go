package graph

import (
	"errors"
	"io"
)

// A merger merges sorted sources, each a function that returns its next element or
// io.EOF, with a binary heap.
type merger[T any] struct {
	less func(a, b T) bool
	heap []head[T]
	err  error // the first that a source returned, io.EOF aside
}

// head is a source with its next element.
type head[T any] struct {
	first T
	next  func() (T, error)
}

func newMerger[T any](sources []func() (T, error), less func(a, b T) bool) *merger[T] {
	m := &merger[T]{less: less}
	for _, next := range sources {
		if first, ok := m.read(next); ok {
			m.heap = append(m.heap, head[T]{first, next})
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m
}

func (m *merger[T]) read(next func() (T, error)) (T, bool) {
	v, err := next()
	if err != nil && !errors.Is(err, io.EOF) && m.err == nil {
		m.err = err
	}
	return v, err == nil
}

// more reports whether there is another element. After an error there is none.
func (m *merger[T]) more() bool { return len(m.heap) > 0 && m.err == nil }

// next returns the least element left.
func (m *merger[T]) next() T {
	v := m.heap[0].first
	if first, ok := m.read(m.heap[0].next); ok {
		m.heap[0].first = first
	} else {
		m.heap[0] = m.heap[len(m.heap)-1]
		m.heap = m.heap[:len(m.heap)-1]
	}
	m.down(0)
	return v
}

// down moves head i to its place below.
func (m *merger[T]) down(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(m.heap); c++ {
			if m.less(m.heap[c].first, m.heap[least].first) {
				least = c
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
