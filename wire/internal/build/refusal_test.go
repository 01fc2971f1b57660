package build_test

import (
	"errors"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

func TestF10_OurOwnRefusalSaysWhatToDo(t *testing.T) {
	t.Parallel()
	err := &plimsoll.Error{Op: "fit", Hint: "shorten the newest message", Err: errors.Join(plimsoll.ErrOverLimit)}
	_, _, text := build.Refusal(err)
	if want := "This model's maximum context length is exceeded: fit: over the limit (shorten the newest message)"; text != want {
		t.Errorf("text %q, want %q", text, want)
	}
}
