package gate

import (
	"reflect"
	"testing"
)

func TestSamplesAreReadBack(t *testing.T) {
	for _, s := range []Sample{
		{Status: 200, TextHash: 1, AllHash: 2, Every: 3, Sample: []uint32{4, 5}},
		{Status: 404, TextHash: 1, AllHash: 1, Pictures: 7},
		{Status: 200, TextHash: 1, AllHash: 1, Another: true},
		{Status: 200, TextHash: 1, AllHash: 1, NoIndex: true},
		{Status: 999, TextHash: 1, AllHash: 1, Every: 16, Pictures: 7, Another: true, NoIndex: true, Sample: []uint32{4, 5, 6, 7}},
	} {
		form := append(appendSample(nil, &s), "rest"...)
		var got Sample
		if rest, err := readSample(form, &got); err != nil || string(rest) != "rest" || !reflect.DeepEqual(got, s) {
			t.Errorf("%+v becomes %+v, %q, %v", s, got, rest, err)
		}
		for n := range len(form) - len("rest") {
			if _, err := readSample(form[:n], &Sample{}); err == nil {
				t.Errorf("%+v: %d bytes are enough", s, n)
			}
		}
	}
}
