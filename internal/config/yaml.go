package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/plimsoll/plimsoll"
)

// The bounds of a file. The parser takes quadratic time in the number of keys and
// recurses for each level; within these bounds a hostile file costs a fraction of
// a second.
const (
	maxFile   = 64 << 10
	maxTokens = 10_000
	maxDepth  = 20
	// maxIndent is the deepest column of a block; each of its levels takes two.
	maxIndent = 100
)

// SyntaxError says where a file is no YAML, or more than is understood here.
type SyntaxError struct {
	Line, Column int
	Reason       string
	hint         string
}

// Error says what is wrong.
func (e *SyntaxError) Error() string { return e.Reason }

// Unwrap makes the error a [plimsoll.ErrInvalid].
func (e *SyntaxError) Unwrap() error { return plimsoll.ErrInvalid }

func syntaxError(at *token.Token, reason, hint string) *SyntaxError {
	e := &SyntaxError{Line: 1, Column: 1, Reason: reason, hint: hint}
	if at != nil && at.Position != nil {
		e.Line, e.Column = max(1, at.Position.Line), max(1, at.Position.Column)
	}
	return e
}

// parseYAML reads one document. Errors are always a [*SyntaxError].
func parseYAML(data []byte) (n node, err error) {
	// The parser is another's; whatever it stumbles over is a fault of the file
	// for the one who wrote it.
	defer func() {
		if recover() != nil {
			n, err = node{}, syntaxError(nil, "this is not understood as YAML", hintText)
		}
	}()
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	switch {
	case len(data) > maxFile:
		return node{}, syntaxError(nil, fmt.Sprintf("larger than %d KiB", maxFile>>10), hintFile)
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		return node{}, syntaxError(nil, "not a text in UTF-8", hintFile)
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkTokens(tokens); err != nil {
		return node{}, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return node{}, parserError(err)
	}
	return documentNode(file)
}

// The hints, none of which a parser can give.
const (
	hintText   = "check the indentation and the quotes there; a text with a colon or # in it needs quotes"
	hintTab    = "indent with spaces"
	hintFile   = "settings are a few lines of text; check that this is their file"
	hintDeep   = "settings are nested two levels deep at most"
	hintValues = "write the value out where it is used"
	hintKeys   = "write one key and its value a line, such as window: 8000"
)

// parserError keeps the place and the reason of an error and leaves the excerpt.
func parserError(err error) error {
	var known yaml.Error
	if !errors.As(err, &known) {
		return syntaxError(nil, firstLine(err.Error()), hintText)
	}
	reason, hint := firstLine(known.GetMessage()), hintText
	if strings.Contains(reason, "\t") {
		reason, hint = "a tab where only spaces may be", hintTab
	}
	return syntaxError(known.GetToken(), reason, hint)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return clip(line)
}

// checkTokens refuses what would make the parser recurse without end, and what no
// settings need: anchors, aliases, tags and directives.
func checkTokens(tokens token.Tokens) error {
	if len(tokens) > maxTokens {
		return syntaxError(tokens[maxTokens], "too many values", hintFile)
	}
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return syntaxError(t, "anchors and aliases are not understood here", hintValues)
		case token.TagType, token.DirectiveType:
			return syntaxError(t, "tags and directives are not understood here", hintValues)
		case token.MappingKeyType:
			return syntaxError(t, "keys are plain words here", hintKeys)
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingValueType:
			if depth == 0 && t.Position.IndentNum > maxIndent || t.Type == token.SequenceEntryType && t.Position.Column > maxIndent {
				return syntaxError(t, "nested too deep", hintDeep)
			}
		}
		if depth > maxDepth {
			return syntaxError(t, "nested too deep", hintDeep)
		}
	}
	return nil
}

func documentNode(file *ast.File) (node, error) {
	var found *node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if found != nil {
			return node{}, syntaxError(doc.Start, "more than one document", hintKeys)
		}
		n, err := fromAST(doc.Body)
		if err != nil {
			return node{}, err
		}
		found = &n
	}
	if found == nil {
		return node{}, nil
	}
	return *found, nil
}

func fromAST(in ast.Node) (node, error) {
	n := node{line: lineOf(in)}
	switch in := in.(type) {
	case *ast.NullNode:
		return n, nil
	case *ast.StringNode:
		n.shape, n.text = scalar, in.Value
		return n, nil
	case *ast.LiteralNode:
		n.shape, n.text = scalar, in.Value.Value
		return n, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		n.shape, n.text = scalar, in.GetToken().Value
		return n, nil
	case *ast.SequenceNode:
		n.shape = list
		for _, value := range in.Values {
			item, err := fromAST(value)
			if err != nil {
				return n, err
			}
			n.items = append(n.items, item)
		}
		return n, nil
	case *ast.MappingNode:
		return mappingNode(n, in.Values)
	case *ast.MappingValueNode:
		return mappingNode(n, []*ast.MappingValueNode{in})
	}
	return n, syntaxError(in.GetToken(), "this kind of YAML is not understood here", hintText)
}

func mappingNode(n node, values []*ast.MappingValueNode) (node, error) {
	n.shape = mapping
	for _, v := range values {
		key, err := fromAST(v.Key)
		if err != nil {
			return n, err
		}
		if key.shape != scalar {
			return n, syntaxError(v.Key.GetToken(), "keys are plain words here", hintKeys)
		}
		value, err := fromAST(v.Value)
		if err != nil {
			return n, err
		}
		n.pairs = append(n.pairs, pair{key, value})
	}
	return n, nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}
