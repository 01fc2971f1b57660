package main

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func TestGrownConversationsWeighTheSameInEveryWay(t *testing.T) {
	t.Parallel()
	plain, digested := conversation(3000, false), conversation(3000, true)
	meter := token.NewMeter(nil)
	known := meter.Weigh(plain.before)
	meter.Weigh(digested.before)
	step := 100
	after := plain.next(&step)[0]
	step = 100
	want := token.NewMeter(nil).Weigh(after).Total
	for name, got := range map[string]plimsoll.Load{
		"hashed": meter.Weigh(after), "digest": meter.Weigh(digested.next(&step)[0]),
	} {
		if got.Total != want {
			t.Errorf("%s: %d tokens, want %d", name, got.Total, want)
		}
	}
	if want <= known.Total {
		t.Errorf("%d tokens after the message, %d before", want, known.Total)
	}
}

func TestGrowthAnswersWithTheTokensAndThreeWays(t *testing.T) {
	t.Parallel()
	answer, err := growth(2000)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Split(answer, "\t")
	if len(fields) != 8 || fields[0] != "ok" || fields[2] != "recount" || fields[6] != "digest" {
		t.Errorf("got %q, want ok, tokens and three ways with their times", answer)
	}
}
