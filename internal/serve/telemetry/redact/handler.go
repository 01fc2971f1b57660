package redact

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
)

// Handler is a log handler that hands records on without secrets.
type Handler struct{ next slog.Handler }

var _ slog.Handler = Handler{}

// NewHandler returns a handler in front of another.
func NewHandler(next slog.Handler) Handler { return Handler{next} }

// Enabled implements [slog.Handler].
func (h Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h Handler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(attribute(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

// WithAttrs implements [slog.Handler].
func (h Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return Handler{h.next.WithAttrs(attributes(attrs))}
}

// WithGroup implements [slog.Handler].
func (h Handler) WithGroup(name string) slog.Handler { return Handler{h.next.WithGroup(Text(name))} }

func attributes(all []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(all))
	for i, a := range all {
		clean[i] = attribute(a)
	}
	return clean
}

// secret are keys whose values are never written.
var secret = map[string]bool{
	"authorization": true, "proxy_authorization": true, "api_key": true, "apikey": true, "x_api_key": true, "x_goog_api_key": true,
	"token": true, "access_token": true, "refresh_token": true, "password": true, "secret": true, "client_secret": true,
	"cookie": true, "set_cookie": true, "credential": true, "credentials": true,
}

func isSecret(key string) bool { return secret[strings.ReplaceAll(strings.ToLower(key), "-", "_")] }

func attribute(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	if isSecret(a.Key) {
		return slog.String(a.Key, Mark)
	}
	return slog.Attr{Key: Text(a.Key), Value: value(v)}
}

// value cleans texts and whatever may hold some.
func value(v slog.Value) slog.Value {
	switch v.Kind() {
	case slog.KindString:
		return slog.StringValue(Text(v.String()))
	case slog.KindGroup:
		return slog.GroupValue(attributes(v.Group())...)
	case slog.KindAny:
		return anyValue(v)
	}
	return v
}

// anyValue leaves a value alone if neither of the ways in which it may be written shows
// a secret.
func anyValue(v slog.Value) slog.Value {
	switch is := v.Any().(type) {
	case nil:
		return v
	case error:
		return slog.StringValue(Text(is.Error()))
	case []byte:
		return slog.StringValue(Text(string(is)))
	case fmt.Stringer:
		return slog.StringValue(Text(is.String()))
	}
	plain := fmt.Sprintf("%+v", v.Any())
	tree, err := treeOf(v.Any())
	if err != nil {
		return slog.StringValue(Text(plain))
	}
	clean, changed := walk(tree)
	switch {
	case changed:
		return slog.AnyValue(clean)
	case Text(plain) != plain:
		return slog.StringValue(Text(plain))
	}
	return v
}

// treeOf returns what JSON makes of a value.
func treeOf(v any) (any, error) {
	coded, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(coded))
	d.UseNumber()
	var tree any
	err = d.Decode(&tree)
	return tree, err
}

// walk cleans the texts of a tree, and says whether there was anything to clean.
func walk(tree any) (clean any, changed bool) {
	switch is := tree.(type) {
	case string:
		text := Text(is)
		return text, text != is
	case []any:
		for i := range is {
			var c bool
			is[i], c = walk(is[i])
			changed = changed || c
		}
	case map[string]any:
		out := make(map[string]any, len(is))
		for key, value := range is {
			name, c := Text(key), false
			if out[name], c = Mark, true; !isSecret(key) {
				out[name], c = walk(value)
			}
			changed = changed || c || name != key
		}
		return out, changed
	}
	return tree, changed
}
