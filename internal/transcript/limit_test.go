package transcript

import (
	"errors"
	"strings"
	"testing"
)

func TestReadStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	if _, err := readUpTo(strings.NewReader("12345"), Text, 4); !errors.Is(err, ErrTooLarge) {
		t.Errorf("five bytes with a limit of four: %v", err)
	}
	if got, err := readUpTo(strings.NewReader("1234"), Text, 4); err != nil || got.Text != "1234" {
		t.Errorf("four bytes with a limit of four: %q, %v", got.Text, err)
	}
}
