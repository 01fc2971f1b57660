package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// facts are told early in a long chat and asked for at its end.
var facts = []struct{ told, asked, answer string }{
	{"My sister Ingrid keeps bees on the roof of a school in Bergen.", "In which town does my sister keep her bees?", "Bergen"},
	{"Our dog is called Waffle and is afraid of thunder.", "What is our dog called?", "Waffle"},
	{"The boiler was last serviced in March by a man from Keldorp.", "Which company serviced the boiler?", "Keldorp"},
	{"I paid 4180 euros for the second-hand cello.", "How much did I pay for the cello?", "4180"},
	{"My dentist moved to Lindenstrasse 17.", "Where has my dentist moved?", "Lindenstrasse"},
	{"Grandmother's recipe for the plum cake needs cardamom, nothing else.", "Which spice does the plum cake need?", "cardamom"},
	{"The spare key is with Mr. Okafor on the third floor.", "Who has the spare key?", "Okafor"},
	{"Our flight to Lisbon leaves at 06:45 on a Thursday.", "When does the flight to Lisbon leave?", "06:45"},
	{"I am allergic to penicillin, the doctors found out in 2009.", "Which medicine am I allergic to?", "penicillin"},
	{"The password hint for the router is the name of the lighthouse, Skagen.", "What is the hint for the router's password?", "Skagen"},
	{"My nephew Tobias studies glaciology.", "What does my nephew Tobias study?", "glaciology"},
	{"We have decided to paint the kitchen ochre.", "In which colour do we paint the kitchen?", "ochre"},
	{"The choir rehearses every Wednesday in the old tannery.", "Where does the choir rehearse?", "tannery"},
	{"My car's number plate ends with HX 902.", "How does the number plate of my car end?", "HX 902"},
}

// smallTalk is what is said between facts and questions.
func smallTalk(i int) string {
	about := []string{"the weather over the hills", "a film with too many explosions", "the queue at the bakery", "a novel that I could not finish", "the neighbours' new fence", "a walk along the canal", "the late trains of last week"}
	return fmt.Sprintf("Let us talk about %s for a while, day %d: I thought that it was quite something, and I would like to hear how you see it, in a few sentences if you can.", about[i%len(about)], i)
}

// longChat asks a scripted model through a proxy, turn by turn, and returns what reached
// the model when each fact was asked for.
func longChat(t *testing.T, d plimsoll.Dialect, s *running, model *scripted.Model) (prompts []string) {
	t.Helper()
	to := map[plimsoll.Dialect]struct{ path, head string }{
		plimsoll.OpenAI:    {"/v1/chat/completions", `{"model":"gpt-4o",`},
		plimsoll.Responses: {"/v1/responses", `{"model":"gpt-4o",`},
		plimsoll.Anthropic: {"/v1/messages", `{"model":"claude-sonnet-4-5","max_tokens":128,`},
		plimsoll.Gemini:    {"/v1beta/models/gemini-2.5-flash:generateContent", `{`},
		plimsoll.Ollama:    {"/api/chat", `{"model":"llama3.2","stream":false,`},
		plimsoll.Converse:  {"/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/converse", `{`},
	}[d]
	var history []plimsoll.Message
	for turn := range 60 {
		said := smallTalk(turn)
		asking := turn - (60 - len(facts))
		switch {
		case turn < len(facts):
			said = facts[turn].told + " " + said
		case asking >= 0:
			said = facts[asking].asked
		}
		history = append(history, plimsoll.Say(plimsoll.User, said))
		body, err := wiretest.Rewrite(dialects.Codec(d), plimsoll.Conversation{Messages: plimsoll.ListOf(history...)})
		if err != nil {
			t.Fatal(err)
		}
		resp, answer := s.do(t, "POST", to.path, to.head+string(body[1:]), "Content-Type", "application/json", "Authorization", "Bearer one")
		if resp.StatusCode != 200 {
			t.Fatalf("turn %d: %d %s", turn, resp.StatusCode, answer)
		}
		log := model.Log()
		sent := log[len(log)-1]
		if len(sent.Violations) > 0 {
			t.Errorf("turn %d breaks rules of the API: %v", turn, sent.Violations)
		}
		if asking >= 0 {
			prompts = append(prompts, string(sent.Body))
		}
		history = append(history, plimsoll.Say(plimsoll.Assistant, sent.Step.Text))
	}
	return prompts
}

func TestFactsToldEarlyAreInThePromptWhenTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			model := scripted.New(&scripted.Options{Window: 2048, Script: func(c *scripted.Call) (scripted.Step, bool) {
				return scripted.Say(fmt.Sprintf("That is good to hear, thank you. I have little to add on point %d, except that such days are the ones that one remembers.", len(c.Text()))), true
			}})
			s := managed(t, model, transport.Options{Window: 2048}, nil)
			found := 0
			for i, prompt := range longChat(t, d, s, model) {
				if strings.Contains(prompt, facts[i].answer) {
					found++
				} else {
					t.Logf("%q is missing", facts[i].answer)
				}
			}
			if found < 13 {
				t.Errorf("%d of %d facts were in the prompt when they were asked for, want 13", found, len(facts))
			}
		})
	}
}
