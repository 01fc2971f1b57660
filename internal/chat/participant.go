package chat

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Participant is a model that takes part.
type Participant struct {
	// Name by which it is addressed ("@name").
	Name string
	// API is the word for its kind of server: "openai", "responses", "anthropic",
	// "gemini" or "ollama".
	API string
	// Dialect that its server speaks.
	Dialect plimsoll.Dialect
	Model   string
	// URL is the base address, such as https://api.openai.com/v1.
	URL string
	// Key is sent with each request; empty means none. It is never shown or stored.
	Key Key
}

// Key is a secret.
type Key string

// String hides it.
func (Key) String() string { return "(key)" }

// GoString hides it.
func (Key) GoString() string { return "(key)" }

// MarshalText hides it.
func (Key) MarshalText() ([]byte, error) { return nil, nil }

// api is a kind of server that a participant may be behind.
type api struct {
	dialect plimsoll.Dialect
	url     string
	// urls and keys are the variables that name the address and the key.
	urls, keys []string
	// needsKey says that the server at url refuses requests without a key.
	needsKey bool
}

var apis = map[string]api{
	"openai":    {plimsoll.OpenAI, "https://api.openai.com/v1", []string{"OPENAI_BASE_URL"}, []string{"OPENAI_API_KEY"}, true},
	"responses": {plimsoll.Responses, "https://api.openai.com/v1", []string{"OPENAI_BASE_URL"}, []string{"OPENAI_API_KEY"}, true},
	"anthropic": {plimsoll.Anthropic, "https://api.anthropic.com", []string{"ANTHROPIC_BASE_URL"}, []string{"ANTHROPIC_API_KEY"}, true},
	"gemini":    {plimsoll.Gemini, "https://generativelanguage.googleapis.com", []string{"GEMINI_BASE_URL"}, []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, true},
	"ollama":    {plimsoll.OpenAI, "http://127.0.0.1:11434", []string{"OLLAMA_HOST"}, nil, false},
}

// official reports whether a host is a provider's own.
func official(host string) bool {
	for _, known := range apis {
		if u, err := url.Parse(known.url); err == nil && known.needsKey && u.Host == host {
			return true
		}
	}
	return false
}

const specHint = "write it as openai:MODEL, responses:MODEL, anthropic:MODEL, gemini:MODEL or ollama:MODEL, with @http://HOST:PORT behind it for another server and NAME= in front for a name"

var validName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*$`)

// ParseParticipant reads "[NAME=]API:MODEL[@URL]". Without a name it is called like its
// API. Address and key come from the provider's usual variables where the text has
// none.
func ParseParticipant(spec string, getenv func(string) string) (Participant, error) {
	head, rest, ok := strings.Cut(strings.TrimSpace(spec), ":")
	name, word, named := strings.Cut(head, "=")
	if !named {
		name, word = head, head
	}
	known, found := apis[word]
	switch {
	case !ok || !found:
		return Participant{}, badSpec(spec, fmt.Errorf("there is no API called %q", word))
	case !validName.MatchString(name) || name == everybody:
		return Participant{}, badSpec(spec, fmt.Errorf("%q cannot be a name", name))
	}
	p := Participant{Name: name, API: word, Dialect: known.dialect}
	p.Model, p.URL = cutURL(rest)
	if p.Model == "" && word != "ollama" { // whose server lists its models
		return Participant{}, badSpec(spec, errors.New("no model is named"))
	}
	p.Key = Key(first(known.keys, getenv))
	if p.URL == "" {
		p.URL = first(known.urls, getenv)
	}
	if p.URL == "" {
		p.URL = known.url
		if known.needsKey && p.Key == "" {
			return Participant{}, badKey(spec, known.keys)
		}
	}
	if !strings.Contains(p.URL, "://") {
		p.URL = "http://" + p.URL
	}
	u, err := url.Parse(p.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Participant{}, badSpec(spec, fmt.Errorf("%q is no address", p.URL))
	}
	p.URL = strings.TrimSuffix(p.URL, "/")
	return p, nil
}

// Spec returns the text that [ParseParticipant] reads.
func (p Participant) Spec() string {
	return fmt.Sprintf("%s=%s:%s@%s", p.Name, p.API, p.Model, p.URL)
}

func badSpec(spec string, err error) error {
	return &plimsoll.Error{
		Op: fmt.Sprintf("read the model %q", spec), Code: plimsoll.CodeInvalid,
		Err: mistake{err}, Hint: specHint,
	}
}

func badKey(spec string, keys []string) error {
	return &plimsoll.Error{
		Op: fmt.Sprintf("read the model %q", spec), Code: plimsoll.CodeInvalid,
		Err:  mistake{errors.New("there is no key")},
		Hint: "set " + strings.Join(keys, " or ") + ", or name a server of your own with @http://HOST:PORT",
	}
}

// cutURL finds the address behind a model. Models may have an @ in their names.
func cutURL(text string) (name, address string) {
	for _, scheme := range []string{"http://", "https://"} {
		if name, address, ok := strings.Cut(text, "@"+scheme); ok {
			return name, scheme + address
		}
	}
	return text, ""
}

func first(names []string, getenv func(string) string) string {
	for _, name := range names {
		if value := strings.TrimSpace(getenv(name)); value != "" {
			return value
		}
	}
	return ""
}
