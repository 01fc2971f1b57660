package lang

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scope is what people read: the command line, the chat and the dashboard. Each of
// their sentences needs an entry.
var scope = []string{"../../cmd/plimsoll", "../chat", "../chat/plain", "../chat/terminal", "../serve/dashboard"}

// engine says why something was cut or refused. Its sentences may have entries.
var engine = []string{"../..", "../../fit", "../../rung", "../report"}

// english are the sentences that stay English, by the reason. One that no source has
// is a mistake as well.
var english = map[string][]string{
	"names a command, a flag or a header": {
		"cache %s", "cache put", "compact %s", "compact %s: %s: %s", "count %s", "doctor %s", "fit %s", "models %q", "prune %s", "read %s", "run %s",
		"store %s", "write %s", "/attach %s", "--attach %s", "/load %s", "--embedder %s", "plimsoll count %s", "plimsoll: %s", "Bearer %s", "REF PATTERN",
		"plimsoll chat", "plimsoll doctor", "plimsoll %s%s, %s %s", ", commit %s", "%s with local changes", "environment default", "API", "Plimsoll",
	},
	"is read by scripts, beside the log of a service": {
		"plimsoll: admin on http://%s", "plimsoll: dashboard on http://%s%s", "plimsoll: serving http://%s", "plimsoll: serving http://%s%s",
		"curl -si %[1]s/v1/messages -H 'anthropic-version: 2023-06-01' -d '{\"model\":%[2]q,\"max_tokens\":100,\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}'\n  curl -s %[1]s/plimsoll/v1/accounts/total",
	},
	"is for models, programs or files": {
		"Pay special attention to: %s", "<file name=%q>\n%s\n</file>", "[to %s] %s", "give its limit with limit",
		"You are %s. Other models take part in this conversation: %s. What they answered stands in the user's messages, behind their names in brackets. [to NAME] marks what the user asked somebody else.",
		"## Summary of %s", "## You to %s\n\n%s", "(with %s)", "(failed: %s)", "set Options.Keeper", "no keeper", "[pasted %d: %s]", "%s lines", "%s characters",
		`{"error":{"message":"this page could not be written"}}`, "panic: %v\n%s", "text/html; charset=utf-8", "Accept, Accept-Language",
		": still there", "retry: 2000\nevent: change\ndata: %d", "event: change\ndata: %d", "the user's own", "%T is no whole number", "read the store",
	},
	"is looked for in other texts": {
		"a valid 64 bit int", "a whole number", `expected \w+ value but got "(-[0-9.]+)" \(short flag\); perhaps try \S+\?`,
		"nothing more can be cut", "context is full", "cannot be reached", "began elsewhere", "not understood", "could not be managed", "not shown", `To go on: offset=(\d+)`,
	},
	"is a unit":                    {"%d ms", "%.0f min", "%s KiB", "%s MiB", "%s GiB"},
	"is help, which stays English": {"Keeps conversations with language models under their context window."},
}

func staysEnglish(key string) bool {
	for _, keys := range english {
		if slices.Contains(keys, key) {
			return true
		}
	}
	return false
}

// source is what a file says.
type source struct {
	// sentences need an entry. words are all texts, for entries that are no sentence.
	sentences, words map[string][]string
}

// read walks all files of the scope.
func read(t *testing.T) source {
	t.Helper()
	s := source{map[string][]string{}, map[string][]string{}}
	for _, dir := range slices.Concat(scope, engine) {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", dir, err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				s.goFile(t, name, slices.Contains(scope, dir))
			}
		}
	}
	err := filepath.WalkDir("../serve/dashboard/pages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, noun := range countedInPage.FindAllStringSubmatch(string(text), -1) {
			s.sentences["%d "+noun[1]+"(s)"] = append(s.sentences["%d "+noun[1]+"(s)"], path)
		}
		eachText(string(text), func(key string, _ []string) string {
			s.sentences[key] = append(s.sentences[key], path)
			return ""
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// countedInPage is a number of things in a template.
var countedInPage = regexp.MustCompile(`\{\{count [^"}]*"([^"]+)"\}\}`)

func (s source) goFile(t *testing.T, name string, all bool) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	add := func(n ast.Node, key string) {
		key = strings.TrimSpace(key)
		where := set.Position(n.Pos()).String()
		s.words[key] = append(s.words[key], where)
		// Names of kinds are shown without their underscores.
		s.words[strings.ReplaceAll(key, "_", " ")] = append(s.words[key], where)
		if all && isSentence(key) {
			s.sentences[key] = append(s.sentences[key], where)
		}
	}
	var walk func(ast.Node) bool
	inner := func(e ast.Expr) {
		operands(e, func(part ast.Expr) {
			if _, ok := literal(part); ok {
				return
			}
			if _, ok := formatted(part); ok {
				call := part.(*ast.CallExpr)
				if noun, ok := counted(call); ok {
					add(call, "%d "+noun+"(s)")
					ast.Inspect(call.Args[0], walk)
					return
				}
				for _, argument := range call.Args[1:] {
					ast.Inspect(argument, walk)
				}
				return
			}
			ast.Inspect(part, walk)
		})
	}
	walk = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			ast.Inspect(n.Type, walk)
			return false
		case *ast.FuncDecl:
			// The long help of commands stays English.
			return n.Name.Name != "Help" || n.Recv == nil
		case *ast.CallExpr:
			if isLog(n) {
				return false
			}
			if noun, ok := counted(n); ok {
				add(n, "%d "+noun+"(s)")
				ast.Inspect(n.Args[0], walk)
				return false
			}
		case *ast.BinaryExpr:
			if key, ok := joined(n); ok {
				add(n, key)
				inner(n)
				return false
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN {
				if key, ok := joined(n.Rhs[0]); ok {
					add(n, "%s"+key)
					inner(n.Rhs[0])
					return false
				}
			}
		case *ast.BasicLit:
			if text, ok := literal(n); ok {
				add(n, text)
			}
		}
		return true
	}
	ast.Inspect(file, walk)
}

// joined is a concatenation as a format: what is no literal is a %s.
func joined(e ast.Expr) (key string, ok bool) {
	operands(e, func(part ast.Expr) {
		if text, is := literal(part); is {
			key, ok = key+strings.ReplaceAll(text, "%", "%%"), true
		} else if format, is := formatted(part); is {
			key, ok = key+format, true
		} else {
			key += "%s"
		}
	})
	return key, ok
}

// counted is the noun of a call that writes a number of things.
func counted(call *ast.CallExpr) (string, bool) {
	if len(call.Args) != 2 || !slices.Contains([]string{"plural", "counted"}, nameOf(call.Fun)) {
		return "", false
	}
	return literal(call.Args[1])
}

// formatted is the format of a call of fmt.Sprintf inside of a concatenation, or that
// of a number of things.
func formatted(e ast.Expr) (string, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	if noun, ok := counted(call); ok {
		return "%d " + noun + "(s)", true
	}
	if nameOf(call.Fun) != "Sprintf" {
		return "", false
	}
	return literal(call.Args[0])
}

func operands(e ast.Expr, visit func(ast.Expr)) {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		operands(b.X, visit)
		operands(b.Y, visit)
		return
	}
	visit(e)
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// isLog reports calls whose words are for logs and for those who read stack traces.
func isLog(call *ast.CallExpr) bool {
	name := nameOf(call.Fun)
	return slices.Contains([]string{"panic", "DebugContext", "InfoContext", "WarnContext", "ErrorContext", "Debug", "Info", "Warn"}, name)
}

// isSentence reports texts that have words and blanks, and are no paths of a server.
func isSentence(key string) bool {
	return !strings.HasPrefix(key, "GET ") && !strings.HasPrefix(key, "POST ") && sentence.MatchString(verb.ReplaceAllString(percents.Replace(key), "0"))
}

var sentence = regexp.MustCompile(`(?i)[a-z]{2,}[,;:.]? [a-z]{2,}|0[,;:]? \(?[a-z]{2,}|[a-z]{2,}:? "?0`)

func TestEverySentenceHasAJapaneseEntryAndEveryEntryASentence(t *testing.T) {
	t.Parallel()
	s := read(t)
	has := map[string]bool{}
	for _, e := range entries(japaneseText) {
		if has[e.en] {
			t.Errorf("%q has two entries", e.en)
		}
		has[e.en] = true
		if s.sentences[e.en] == nil && s.words[e.en] == nil {
			t.Errorf("no source says %q any more: delete the entry", e.en)
		}
	}
	var missing []string
	for key, where := range s.sentences {
		if !has[key] && !staysEnglish(key) {
			missing = append(missing, where[0]+"\n\ten: "+key)
		}
	}
	slices.Sort(missing)
	for _, m := range missing {
		t.Errorf("no Japanese: %s", m)
	}
	for reason, keys := range english {
		for _, key := range keys {
			if s.sentences[key] == nil || has[key] {
				t.Errorf("%q is not said any more, or has an entry: take it off the list %q", key, reason)
			}
		}
	}
}

// A translation that loses a figure, or names one that is not there, tells a lie.
func TestTranslationsHaveTheFiguresOfTheirSentences(t *testing.T) {
	t.Parallel()
	for _, e := range entries(japaneseText) {
		verbs := 0
		for _, v := range verbsOf(percents.Replace(e.en)) {
			if v[2] >= 0 {
				verbs++
			}
		}
		var has []int
		for _, at := range place.FindAllString(e.ja, -1) {
			has = append(has, int(at[1]-'0'))
		}
		slices.Sort(has)
		want := make([]int, verbs)
		for i := range want {
			want[i] = i + 1
		}
		if !slices.Equal(has, want) {
			t.Errorf("%q has %d verbs, and its translation has %v: %q", e.en, verbs, has, e.ja)
		}
		if strings.TrimSpace(e.ja) == "" || !japaneseLetter.MatchString(e.ja) && !slices.Contains(sameInJapanese, e.en) {
			t.Errorf("%q is not translated: %q", e.en, e.ja)
		}
	}
}

var japaneseLetter = regexp.MustCompile(`[\p{Hiragana}\p{Katakana}\p{Han}]`)

// sameInJapanese are entries of figures and signs.
var sameInJapanese = []string{"of", "%s of %s", "of %s", "%s of", "%s · Plimsoll", "Plimsoll %s · live since", "%s, ref %s", "%s, %d of %s", "%s (%s)"}

// Sentences that are made from a key are translated by that key, and not by another one
// that fits as well.
func TestEverySentenceFindsItsOwnEntry(t *testing.T) {
	t.Parallel()
	ja := Locale("ja")
	for _, e := range entries(japaneseText) {
		places := map[int]string{}
		for _, at := range place.FindAllString(e.ja, -1) {
			places[int(at[1]-'0')] = at
		}
		var arguments, want []string
		sentence := plain(verb.ReplaceAllStringFunc(percents.Replace(e.en), func(v string) string {
			if v == "(s)" {
				return "s"
			}
			at, argument := places[len(arguments)+1], "dock-"+strconv.Itoa(len(arguments))
			said := argument
			switch {
			case strings.HasPrefix(at, "<"):
				argument, said = "nothing was changed", "変更はありません"
			case strings.HasSuffix(v, "q"):
				argument = strconv.Quote(argument)
				said = argument
			case strings.HasSuffix(v, "d"), strings.HasSuffix(v, "f"), strings.HasSuffix(at, "#}"):
				argument = "1,234"
				said = argument
			}
			arguments, want = append(arguments, argument), append(want, said)
			return argument
		}))
		expected := insert(e.ja, want, func(s string) string { return s })
		if got := ja.Say(sentence); got != expected {
			t.Errorf("%q\n got %q\nwant %q, by %q", sentence, got, expected, e.en)
		}
	}
}
