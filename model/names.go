package model

import "strings"

// regions and makers are the dotted words Bedrock puts before a model id
// ("us.anthropic.claude-…").
var (
	regions = words("us eu ap apac au jp ca sa us-gov global")
	makers  = words("anthropic amazon meta mistral cohere deepseek openai qwen google moonshot moonshotai minimax zai xai")
)

// routes are the words gateways put behind a colon to choose a route or a mode of
// the same model.
var routes = words("free beta nitro floor online extended exacto thinking cloud latest")

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// withoutPrefixes gives the name and every shorter form left when providers,
// gateways, paths, regions and the mark of a fine-tuned model are taken off its
// front, longest first.
func withoutPrefixes(name string) []string {
	forms := []string{name}
	for {
		rest, ok := cutPrefix(name)
		if !ok || rest == "" {
			return forms
		}
		forms = append(forms, rest)
		name = rest
	}
}

func cutPrefix(name string) (string, bool) {
	if _, rest, ok := strings.Cut(name, "/"); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(name, "ft:"); ok {
		base, _, _ := strings.Cut(rest, ":")
		return base, true
	}
	word, rest, ok := strings.Cut(name, ".")
	return rest, ok && (regions[word] || makers[word])
}

// shortened is a name with something taken off its end.
type shortened struct {
	name string
	how  match
	// weights says whose models the name may stand for: what was taken off has a
	// meaning only for weights that are given away.
	weights weights
}

// weights says how freely the weights of a model are to be had.
type weights int

const (
	anyWeights weights = iota
	// openWeights are those of makers who publish theirs.
	openWeights
	// localWeights are families that are run in many sizes.
	localWeights
)

// withoutSuffixes gives the forms left when dates, versions, channels, routes,
// quantisations and sizes are taken off the end of a name, longest first.
func withoutSuffixes(name string) []shortened {
	var forms []shortened
	last := shortened{name: name, how: matchDated}
	for {
		rest, need, ok := cutSuffix(last.name)
		if !ok || rest == "" {
			return forms
		}
		preview := strings.HasSuffix(last.name, "-preview")
		last.name, last.weights = rest, max(last.weights, need)
		if last.weights > anyWeights {
			last.how = matchFamily
		}
		forms = append(forms, last)
		if preview {
			// A date before the channel names a model of its own:
			// gpt-4-0125-preview is no gpt-4.
			return forms
		}
	}
}

// cutSuffix takes one thing off the end of a name.
func cutSuffix(name string) (rest string, need weights, ok bool) {
	for _, cut := range []struct {
		from func(string) (string, bool)
		need weights
	}{
		{cutRoute, anyWeights},
		{cutVersion, anyWeights},
		{cutDate, anyWeights},
		{cutChannel, anyWeights},
		{cutQuantisation, openWeights},
		{cutSize, localWeights},
	} {
		if rest, ok := cut.from(name); ok {
			return rest, cut.need, true
		}
	}
	return name, anyWeights, false
}

// cutRoute takes off ":free" and its kind, and "@default".
func cutRoute(name string) (string, bool) {
	if i := strings.LastIndexByte(name, ':'); i >= 0 && routes[name[i+1:]] {
		return name[:i], true
	}
	if rest, ok := strings.CutSuffix(name, "@default"); ok {
		return rest, true
	}
	return strings.CutSuffix(name, "@latest")
}

// cutVersion takes off Bedrock's "-v1:0", "-v1:0:200k" and "-v1", and Gemini's
// "-001". A bare "-v2" or "-v3" is part of many names and stays.
func cutVersion(name string) (string, bool) {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name, false
	}
	last := name[i+1:]
	if len(last) == 3 && last[0] == '0' && digits(last) {
		return name[:i], true
	}
	version, ok := strings.CutPrefix(last, "v")
	if !ok {
		return name, false
	}
	major, minor, revised := strings.Cut(version, ":")
	minor, _, _ = strings.Cut(minor, ":")
	if revised && digits(major) && digits(minor) {
		return name[:i], true
	}
	return name[:i], version == "1"
}

// cutDate takes off "-2025-12-11", "-20250929", "@20250929", "-09-2025",
// "-0613" and "-2512", and "-05-06" behind a channel.
func cutDate(name string) (string, bool) {
	if rest, date, ok := cutTail(name, 8); ok && digits(date) && calendar(date[:4], date[4:6], date[6:]) {
		return rest, true
	}
	if rest, date, ok := cutTail(name, 10); ok && date[4] == '-' && date[7] == '-' && calendar(date[:4], date[5:7], date[8:]) {
		return rest, true
	}
	if rest, date, ok := cutTail(name, 7); ok && date[2] == '-' && calendar(date[3:], date[:2], "01") {
		return rest, true
	}
	if rest, date, ok := cutTail(name, 5); ok && date[2] == '-' && calendar("2000", date[:2], date[3:]) && channelled(rest) {
		return rest, true
	}
	if rest, date, ok := cutTail(name, 4); ok && (calendar("2000", date[:2], date[2:]) || calendar("20"+date[:2], date[2:], "01")) {
		return rest, true
	}
	return name, false
}

// cutTail splits off the last n bytes if a dash or an at sign stands before them.
func cutTail(name string, n int) (rest, tail string, ok bool) {
	at := len(name) - n - 1
	if at <= 0 || (name[at] != '-' && name[at] != '@') {
		return "", "", false
	}
	return name[:at], name[at+1:], true
}

// calendar says whether the words are the year, month and day of a date on which
// a model may have come out.
func calendar(year, month, day string) bool {
	if !digits(year) || !digits(month) || !digits(day) {
		return false
	}
	return year >= "2000" && year <= "2099" && month >= "01" && month <= "12" && day >= "01" && day <= "31"
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

var channels = []string{"-preview", "-exp", "-experimental", "-latest", "-beta"}

func channelled(name string) bool {
	_, ok := cutChannel(name)
	return ok
}

func cutChannel(name string) (string, bool) {
	for _, c := range channels {
		if rest, ok := strings.CutSuffix(name, c); ok {
			return rest, true
		}
	}
	return name, false
}

// quantisations are the last words of names of local weights that say how the
// weights are stored or tuned.
var quantisations = words("fp4 fp8 fp16 bf16 f16 f32 int4 int8 awq gptq gguf mlx qat 4bit 8bit instruct chat it hf")

// servings are words by which hosts tell their ways of serving a size apart.
var servings = words("turbo instant versatile text base")

// cutQuantisation takes off "-q4_K_M", "-fp16", "-instruct" and their kind.
func cutQuantisation(name string) (string, bool) {
	i := strings.LastIndexAny(name, "-:")
	if i < 0 {
		return name, false
	}
	last := name[i+1:]
	return name[:i], quantisations[last] || quantised(last)
}

// quantised recognises llama.cpp's names: q4_k_m, q8_0, iq3_xs.
func quantised(word string) bool {
	word = strings.TrimPrefix(word, "i")
	return len(word) >= 2 && word[0] == 'q' && word[1] >= '1' && word[1] <= '8' && (len(word) == 2 || word[2] == '_')
}

// cutSize takes off a size ("-8b", ":70b", "-8x7b", "-a3b", ":e4b"), a way of
// serving it, or a tag of any kind.
func cutSize(name string) (string, bool) {
	i := strings.LastIndexAny(name, "-:")
	if i < 0 {
		return name, false
	}
	last := name[i+1:]
	return name[:i], name[i] == ':' || sized(last) || servings[last]
}

func sized(word string) bool {
	if word == "" || (word[len(word)-1] != 'b' && word[len(word)-1] != 'm') {
		return false
	}
	word = strings.TrimLeft(word[:len(word)-1], "ae")
	for part := range strings.SplitSeq(word, "x") {
		if !digits(strings.Replace(part, ".", "", 1)) {
			return false
		}
	}
	return true
}
