package fit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// shelf is an archive in memory.
type shelf struct {
	stored      map[string]string
	refs        int
	refuseRef   bool
	refuseStore bool
}

func (s *shelf) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	s.refs++
	if s.refuseRef {
		return plimsoll.Ref{}, errors.New("the shelf has no labels")
	}
	return plimsoll.Ref{ID: fmt.Sprintf("ref-%d", len(plimsoll.TextOf(content)))}, nil
}

func (s *shelf) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	if s.refuseStore {
		return plimsoll.Ref{}, errors.New("the shelf is full")
	}
	ref, err := s.Ref(ctx, content)
	s.stored[ref.ID] = plimsoll.TextOf(content)
	return ref, err
}

func (s *shelf) Content(_ context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	return testkit.Text(s.stored[id]), nil
}

// stowing replaces every result that may be, and one more that is taken back.
var stowing = ladderRung{"stow", func(ctx context.Context, w *fit.Work) error {
	d := w.Draft()
	for _, p := range d.Outline().Pairs {
		part, _ := d.Part(p.Result)
		ref, err := w.Archive(ctx, part.(plimsoll.ToolResult).Content)
		if err != nil {
			return err
		}
		id := "none"
		if ref != nil {
			id = ref.ID
		}
		position := d.Position()
		if err := d.ReplaceResult(p.Result, testkit.Text(id), plimsoll.Why{Rung: "stow", Reason: "test", Ref: ref}); err != nil {
			return err
		}
		if w.Kept(p.Result.Message) {
			d.Rollback(position)
		}
	}
	return nil
}}

func outputs() plimsoll.Conversation {
	result := func(id, content string) plimsoll.Message {
		return plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: testkit.Text(content)})
	}
	call := func(id string) plimsoll.Message {
		return plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read"})
	}
	return testkit.Conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "go"),
		call("1"), result("1", strings.Repeat("x", 50)),
		call("2"), result("2", strings.Repeat("y", 60)),
	})
}

func TestFitStoresWhatItsEditsReferTo(t *testing.T) {
	t.Parallel()
	c := outputs()
	s := &shelf{stored: map[string]string{}}
	k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total-1, fit.Options{Rungs: []fit.Rung{stowing}, Archive: s})
	plan, err := k.Plan(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if len(s.stored) != 0 {
		t.Fatalf("planning stored %v", s.stored)
	}
	fitted, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	testkit.Must(t, err)
	if diff := cmp.Diff(plan.Edits, fitted.Edits); diff != "" {
		t.Errorf("planned and made edits differ (-plan +fit):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"ref-50": strings.Repeat("x", 50)}, s.stored); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if fitted.Degraded != "" {
		t.Errorf("degraded: %s", fitted.Degraded)
	}
}

func TestFitGoesOnWithoutAnArchiveThatFails(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*shelf{
		"when it cannot name":  {stored: map[string]string{}, refuseRef: true},
		"when it cannot store": {stored: map[string]string{}, refuseStore: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := outputs()
			k := newKeeper(t, testkit.ByteMeter{}.Weigh(c).Total-1, fit.Options{Rungs: []fit.Rung{stowing}, Archive: s})
			plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
			testkit.Must(t, err)
			if !strings.Contains(plan.Degraded, "the shelf") {
				t.Errorf("degraded = %q", plan.Degraded)
			}
			for _, e := range plan.Edits {
				if e.Ref != nil {
					t.Errorf("edit refers to %v, which was not stored", e.Ref)
				}
			}
			if dry, err := k.Plan(t.Context(), fit.Task{Conversation: c}); err != nil || (dry.Degraded != "") != s.refuseRef {
				t.Errorf("a dry run ends with %v", err)
			}
		})
	}
}
