package interop_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/interop/agent"
	"github.com/plimsoll/plimsoll/interop/job"
	"github.com/plimsoll/plimsoll/interop/npm"
	"github.com/plimsoll/plimsoll/interop/rig"
)

// eachNpmSDK runs a test for each library, with and without a stream.
func eachNpmSDK(t *testing.T, test func(t *testing.T, s npm.Session)) {
	for _, d := range everyDialect {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%t", d, stream), func(t *testing.T) {
				t.Parallel()
				test(t, npm.Session{Dialect: d, Stream: stream, Key: agent.Key})
			})
		}
	}
}

func TestNpmSDKsGetPlainAnswersAndTheirBills(t *testing.T) {
	eachNpmSDK(t, func(t *testing.T, s npm.Session) {
		r := rig.New(t, rig.Limited, &rig.Options{Window: small, Script: scripted.Steps(scripted.Say("Three ships, all moored."))})
		s.URL, s.Prompt = r.URL, "How many ships?"
		got := npm.Lead(t, s)
		if got.Error != nil || got.Text != "Three ships, all moored." || got.Prompt == 0 {
			t.Errorf("the answer is %+v, %+v", got, got.Error)
		}
		if sent, came := r.Passages()[0].Body, r.Asked()[0].Body; string(sent) != string(came) {
			t.Errorf("sent\n%s\nand there came\n%s", sent, came)
		}
	})
}

// With a stream the window is learned, without one it is given.
func TestNpmSDKsFinishAJobThatIsLargerThanTheWindow(t *testing.T) {
	eachNpmSDK(t, func(t *testing.T, s npm.Session) {
		way := rig.Limited
		if s.Stream {
			way = rig.Learned
		}
		uncut := leadNpm(t, s, rig.Direct, large)
		check(t, way, leadNpm(t, s, way, small), uncut)
	})
}

// leadNpm does the whole job with a library.
func leadNpm(t *testing.T, s npm.Session, way rig.Way, window int) rig.Verdict {
	t.Helper()
	j, err := job.New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rig.New(t, way, &rig.Options{Window: window, Script: j.Script})
	s.URL, s.Prompt = r.URL, j.Prompt()
	got := npm.Lead(t, s)
	v := r.Judge(t, j)
	t.Logf("%s: %s", way, v)
	if got.Error != nil || !strings.Contains(got.Text, job.Done) {
		t.Errorf("the last answer is %q, %+v", got.Text, got.Error)
	}
	if foreign := slices.DeleteFunc(got.Tools, func(name string) bool { return name == "read_file" }); len(foreign) > 0 {
		t.Errorf("the client was shown calls of %v", foreign)
	}
	blame(t, v)
	return v
}

func TestNpmSDKsReadARefusalAsTheirOwnError(t *testing.T) {
	eachNpmSDK(t, func(t *testing.T, s npm.Session) {
		r := rig.New(t, rig.Limited, &rig.Options{Window: 2000})
		s.URL, s.Prompt = r.URL, strings.Repeat("A ship that is longer than the quay. ", 1000)
		e := npm.Lead(t, s).Error
		want := codes[s.Dialect]
		if e == nil || !e.Known || e.Status != http.StatusBadRequest || e.Code != want || !strings.Contains(e.Message, "tokens") {
			t.Errorf("the error is %+v, want one of the library's own with status 400 and %q", e, want)
		}
		if n := len(r.Asked()); n > 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
}
