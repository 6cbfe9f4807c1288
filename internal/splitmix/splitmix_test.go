package splitmix

import "testing"

// The first outputs of the generator seeded with 1234567: published with Java's
// SplittableRandom and in many libraries' tests.
func TestFinish(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		state += Golden
		if got := Finish(state); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}
