package remote

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// provider is what is known of the company whose API it is. Env names the variable with the
// key; it is empty if the server needs none.
type provider struct{ url, env string }

var providerOf = map[plimsoll.Dialect]provider{
	plimsoll.OpenAI:    {"https://api.openai.com/v1", "OPENAI_API_KEY"},
	plimsoll.Responses: {"https://api.openai.com/v1", "OPENAI_API_KEY"},
	plimsoll.Anthropic: {"https://api.anthropic.com", "ANTHROPIC_API_KEY"},
	plimsoll.Gemini:    {"https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"},
	plimsoll.Ollama:    {"http://127.0.0.1:11434", ""},
}

const specHint = "write API:MODEL or API:MODEL@URL with one of the APIs openai, responses, anthropic, gemini and ollama, such as openai:qwen3@http://localhost:11434/v1"

// Parse reads which model to ask and where: "openai:MODEL@URL", "anthropic:MODEL",
// "gemini:MODEL", "responses:MODEL", "ollama:MODEL". Without an URL it is the provider's
// own server, or Ollama on this machine; without a model, the conversation's. The key
// comes from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY.
func Parse(spec string, getenv func(string) string) (Options, error) {
	api, name, _ := strings.Cut(spec, ":")
	p, ok := providerOf[plimsoll.Dialect(api)]
	if !ok {
		return Options{}, invalid(fmt.Errorf("there is no API called %q", api), specHint)
	}
	o := Options{Dialect: plimsoll.Dialect(api)}
	if p.env != "" {
		o.Key = Key(strings.TrimSpace(getenv(p.env)))
	}
	o.Model, o.BaseURL = cutURL(name)
	if at := strings.LastIndexByte(o.Model, '@'); at >= 0 && hostAndPort.MatchString(o.Model[at+1:]) {
		return Options{}, invalid(fmt.Errorf("%q is no address", o.Model[at+1:]), "begin the address with http:// or https://")
	}
	if o.BaseURL == "" {
		return o, nil
	}
	if u, err := url.Parse(o.BaseURL); err != nil || u.Host == "" {
		return Options{}, invalid(fmt.Errorf("the address behind %s:%s@ cannot be read", api, o.Model), specHint)
	}
	return o, nil
}

var hostAndPort = regexp.MustCompile(`^([a-z0-9-]+\.)*[a-z0-9-]+:\d+(/|$)|^localhost(/|$)`)

// cutURL finds the address behind a model. Models may have an @ in their names.
func cutURL(text string) (name, address string) {
	for _, scheme := range []string{"http://", "https://"} {
		if name, address, ok := strings.Cut(text, "@"+scheme); ok {
			return name, scheme + address
		}
	}
	return text, ""
}

// address returns where requests for a model go.
func (s *Summarizer) address(name string) (*url.URL, error) {
	if dialects.Codec(s.options.Dialect).Traits().InPath != "" && strings.ContainsAny(strings.TrimPrefix(name, "models/"), "/?#%") {
		return nil, invalid(fmt.Errorf("%q cannot be the name of a model", name), specHint)
	}
	return dialects.Endpoint(s.options.Dialect, s.base, name, false), nil
}
