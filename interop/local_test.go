package interop_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/plimsoll/plimsoll/interop/llama"
	"github.com/plimsoll/plimsoll/interop/rig"
)

var installed = flag.String("local", "", "the directory that llama/install has printed; empty skips the tests with a real local server")

// local starts a real local server, or skips the test.
func local(t *testing.T) *llama.Server {
	t.Helper()
	if *installed == "" {
		t.Skip("NOT CHECKED: no local server; run make test-local")
	}
	return llama.Start(t, *installed)
}

// say sends messages and returns the answer, which must be one.
func say(t *testing.T, url string, r llama.Request) llama.Answer {
	t.Helper()
	a, err := llama.Send(t.Context(), url, r)
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != 200 {
		t.Errorf("status %d: %.300s", a.Status, a.Body)
	}
	return a
}

// sent are the answers of the server to the conversations that passed a tap.
func sent(passed []rig.Passage) []llama.Answer {
	var all []llama.Answer
	for _, p := range passed {
		if p.Converses() {
			all = append(all, llama.Read(p.Status, p.Answer))
		}
	}
	return all
}

// refused counts the requests that the server refused.
func refused(answers []llama.Answer) int {
	n := 0
	for _, a := range answers {
		if a.Status != 200 {
			n++
		}
	}
	return n
}

// small talk of a day, of about sixty tokens.
func chatter(day int) string {
	pick := func(of ...string) string { return of[day*7%len(of)] }
	return fmt.Sprintf("On day %d we walked from %s to %s, and it %s. Later %s told us about %s, which took until %s. I liked %s best, and I want to know what you think about it.",
		day, pick("the old bridge", "the mill", "the station", "the church", "our house"), pick("the river", "the market", "a small lake", "the hills", "the harbour", "the museum"),
		pick("rained all morning", "was windy and cold", "was far too hot", "snowed a little"), pick("a farmer", "the baker", "two students", "an old sailor", "my neighbour"),
		pick("the flood of last year", "his new boat", "a song from the mountains", "the price of wool", "a lost dog", "the football match"), pick("noon", "five o'clock", "midnight", "tea time"),
		pick("the soup", "the painted doors", "the view", "the quiet road", "the bread", "the music in the square"))
}

// days is a conversation of so many turns, which ends with a question.
func days(from, turns int) []llama.Message {
	var all []llama.Message
	for i := range turns {
		all = append(all, llama.Message{Role: "user", Content: chatter(from + i)},
			llama.Message{Role: "assistant", Content: fmt.Sprintf("That sounds like a good day %d. %s would have been my choice as well.", from+i, []string{"Soup", "The view", "A quiet road", "Fresh bread"}[i%4])})
	}
	return append(all, llama.Message{Role: "user", Content: "Where should we go next?"})
}

// over are turns that the server's window has no room for.
const over = 32

func TestALocalServersWindowIsLearnedFromItsFirstOverflow(t *testing.T) {
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("stream is %t", stream), func(t *testing.T) {
			upstream, passed := rig.Tap(t, local(t).Silent(t))
			url := rig.Serve(t, upstream)
			for _, from := range []int{1, 1000} {
				a := say(t, url, llama.Request{Messages: days(from, over), MaxTokens: 8, Stream: stream})
				if stream && (!bytes.HasSuffix(bytes.TrimSpace(a.Body), []byte("data: [DONE]")) || bytes.Contains(a.Body, []byte(`"error"`))) {
					t.Errorf("the stream is %.500s", a.Body)
				}
				t.Logf("limit %s, load %s, decision %s", a.Header.Get("X-Plimsoll-Limit"), a.Header.Get("X-Plimsoll-Load"), a.Header.Get("X-Plimsoll-Decision"))
			}
			all := sent(passed())
			if refused(all) != 1 || all[0].Status == 200 {
				t.Errorf("of %d requests the server refused %d, want the first", len(all), refused(all))
			}
			for _, a := range all {
				t.Logf("the server answered %d to %d tokens", a.Status, a.Prompt)
			}
		})
	}
}

func TestALocalServerIsAskedForItsWindow(t *testing.T) {
	upstream, passed := rig.Tap(t, local(t).URL)
	a := say(t, rig.Serve(t, upstream), llama.Request{Messages: days(1, over), MaxTokens: 8})
	if !slices.ContainsFunc(passed(), func(p rig.Passage) bool { return strings.HasPrefix(p.Path, "/props") }) {
		t.Fatal("the proxy did not ask the server for its window")
	}
	all := sent(passed())
	if refused(all) > 0 || len(all) != 1 {
		t.Errorf("of %d requests the server refused %d", len(all), refused(all))
	}
	if limit, err := strconv.Atoi(a.Header.Get("X-Plimsoll-Limit")); err != nil || limit <= 0 || limit > llama.Window {
		t.Errorf("limit %q of a window of %d", a.Header.Get("X-Plimsoll-Limit"), llama.Window)
	}
}

// facts are told early and asked for late.
var facts = []struct{ told, asked, value string }{
	{"My sister is called Henrike.", "What is my sister called?", "Henrike"},
	{"I was born in Tromsø.", "Where was I born?", "Tromsø"},
	{"Our boat is the Marigold.", "What is the name of our boat?", "Marigold"},
	{"I am allergic to walnuts.", "What am I allergic to?", "walnut"},
	{"My train leaves at 06:40 on Mondays.", "When does my train leave on Mondays?", "06:40"},
	{"The code of the garden gate is 7319.", "What is the code of the garden gate?", "7319"},
	{"My dentist is Dr Okafor.", "Who is my dentist?", "Okafor"},
	{"I play the bassoon.", "Which instrument do I play?", "bassoon"},
	{"My budget for the trip is 2,450 crowns.", "What is my budget for the trip?", "2,450"},
	{"We shall meet at the Kestrel inn.", "At which inn shall we meet?", "Kestrel"},
	{"My car is a green Saab.", "Which car do I have?", "Saab"},
	{"The wedding is on 14 September.", "When is the wedding?", "14 September"},
	{"My teacher was Professor Lindqvist.", "Who was my teacher?", "Lindqvist"},
	{"Our dog is called Biscuit.", "What is our dog called?", "Biscuit"},
}

const turns = 60

func TestALongChatWithALocalServerNeverFails(t *testing.T) {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "way\tfailed turns\trefused by the server\tshare of the window after the first cut\tfacts in the prompt when asked for")
	for _, way := range []struct {
		name  string
		most  int
		flags []string
	}{{"nothing set", 1, nil}, {"--window", 0, []string{"--window", strconv.Itoa(llama.Window)}}} {
		t.Run(way.name, func(t *testing.T) {
			c := talk(t, way.flags)
			fmt.Fprintf(w, "%s\t%d of %d\t%d\t%.2f\t%d of %d\n", way.name, c.failed, turns, c.refused, c.used, c.found, len(facts))
			if c.failed > 0 || c.refused > way.most {
				t.Errorf("%d turns failed, and the server refused %d requests", c.failed, c.refused)
			}
			if c.found < 13 {
				t.Errorf("%d of %d facts are in the prompt when they are asked for", c.found, len(facts))
			}
		})
	}
	w.Flush()
	t.Logf("\n%s", b.String())
}

// outcome is what became of a chat.
type outcome struct {
	failed, refused, found int
	used                   float64
}

// talk leads a chat: a fact in each of the first turns, questions for them in the last.
func talk(t *testing.T, flags []string) outcome {
	t.Helper()
	upstream, passed := rig.Tap(t, local(t).Silent(t))
	url := rig.Serve(t, upstream, flags...)
	var c outcome
	var history []llama.Message
	var shares []float64
	cut := false
	for turn := range turns {
		text, asked := chatter(turn), turn-(turns-len(facts))
		switch {
		case turn < len(facts):
			text = facts[turn].told + " " + text
		case asked >= 0:
			text = facts[asked].asked
		}
		history = append(history, llama.Message{Role: "user", Content: text})
		a := say(t, url, llama.Request{Messages: history, MaxTokens: 32})
		if a.Status != 200 {
			c.failed++
		}
		history = append(history, llama.Message{Role: "assistant", Content: a.Text})
		cut = cut || a.Header.Get("X-Plimsoll-Saved") != "0"
		if cut {
			shares = append(shares, float64(a.Prompt)/llama.Window)
		}
		if asked >= 0 {
			all := passed()
			if bytes.Contains(all[len(all)-1].Body, []byte(facts[asked].value)) {
				c.found++
			} else {
				t.Logf("turn %d: the prompt lacks %q", turn+1, facts[asked].told)
			}
		}
	}
	c.refused = refused(sent(passed()))
	for _, s := range shares {
		c.used += s / float64(len(shares))
	}
	return c
}

func TestAClientThatLeavesFreesALocalServer(t *testing.T) {
	const long = 1500
	server := local(t)
	resp, err := llama.Open(t.Context(), rig.Serve(t, server.URL), llama.Request{
		Messages: []llama.Message{{Role: "user", Content: "Count from one to ten thousand in words."}}, MaxTokens: long, Stream: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resp.Body.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	if busy, _ := server.Slot(t); !busy {
		t.Error("the server has written the answer already")
	}
	resp.Body.Close()
	written := 0
	for {
		busy, now := server.Slot(t)
		if !busy {
			break
		}
		written = now
	}
	if written > long/2 {
		t.Errorf("the server went on to %d tokens of %d", written, long)
	}
	t.Logf("the server stopped after %d tokens of %d", written, long)
}

func TestALocalServersAnswerHasRoom(t *testing.T) {
	upstream, passed := rig.Tap(t, local(t).URL)
	url := rig.Serve(t, upstream, "--window", strconv.Itoa(llama.Window))
	for i, most := range []int{0, 64, llama.Window, 2 * llama.Window} {
		a := say(t, url, llama.Request{Messages: days(100*i, over), MaxTokens: most, Stop: []string{".", ",", "\n"}})
		free := llama.Window - a.Prompt
		t.Logf("max_tokens %d: the prompt has %d tokens and leaves %d, the answer %d: %s", most, a.Prompt, free, a.Written, a.Finish)
		if free < min(64, llama.Window/8) || most == 0 && free < 200 {
			t.Errorf("max_tokens %d: %d of %d tokens are left for the answer", most, free, llama.Window)
		}
	}
	if all := sent(passed()); refused(all) > 0 {
		t.Errorf("the server refused %d requests", refused(all))
	}
}

func TestTheChatCompressesWithALocalServer(t *testing.T) {
	server := local(t)
	var lines strings.Builder
	for i := range 4 {
		fmt.Fprintln(&lines, chatter(i))
	}
	fmt.Fprint(&lines, "/compress\n/context\nWhere should we go next?\n")
	dir := t.TempDir()
	cmd := exec.Command(rig.Binary(t), "chat", "--store", filepath.Join(dir, "store.db"), "--window", strconv.Itoa(llama.Window),
		"--model", "local=openai:"+llama.Model+"@"+server.URL+"/v1")
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir, "OPENAI_API_KEY=none")
	cmd.Stdin = strings.NewReader(lines.String())
	var out, remarks bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &remarks
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, remarks.String())
	}
	if !strings.Contains(remarks.String(), "became a summary") || strings.Contains(remarks.String(), "\n! ") {
		t.Errorf("the chat says\n%s", remarks.String())
	}
	t.Logf("\n%s", remarks.String())
}
