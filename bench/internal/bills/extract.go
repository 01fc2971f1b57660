package bills

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

var (
	recorded = regexp.MustCompile(`(?i)(cassette|vcr|record|testdata|fixture).*\.(ya?ml|json|har)(\.gz)?$`)
	inPath   = regexp.MustCompile(`/models?/([^/]+?)(:[a-zA-Z]+|/invoke.*)$`)
)

// Extract writes the recordings of a source to a file of JSON lines in dir, which has the
// source's name. The source is a folder, or a git directory, whose newest commit counts. A
// request that was recorded several times is written once. Extract returns how many there are.
func Extract(source, dir string) (int, error) {
	name := filepath.Base(strings.TrimSuffix(strings.TrimSuffix(filepath.Clean(source), "/repo"), "/.git"))
	var lines bytes.Buffer
	out, seen := json.NewEncoder(&lines), map[string]bool{}
	err := read(source, func(file string, data []byte) error {
		var err error
		find(file, unpacked(data), func(url string, request, answer []byte) {
			r, ok := newRecording(url, request, answer)
			if key := url + r.Body; ok && !seen[key] && err == nil {
				seen[key], r.Repo, r.File = true, name, file
				err = out.Encode(r)
			}
		})
		return err
	})
	if err != nil {
		return 0, err
	}
	return len(seen), os.WriteFile(filepath.Join(dir, name+".jsonl"), lines.Bytes(), 0o644)
}

// read visits the files of a source that may have recordings.
func read(source string, visit func(file string, data []byte) error) error {
	list, err := exec.Command("git", "--git-dir="+source, "ls-tree", "-r", "--name-only", "HEAD").Output()
	if err != nil { // it is a folder
		return filepath.Walk(source, func(file string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() || !recorded.MatchString(file) {
				return err
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return visit(file, data)
		})
	}
	files := slices.DeleteFunc(strings.Split(string(list), "\n"), func(file string) bool { return !recorded.MatchString(file) })
	git := exec.Command("git", "--git-dir="+source, "cat-file", "--batch")
	git.Stdin = strings.NewReader("HEAD:" + strings.Join(files, "\nHEAD:") + "\n")
	data, err := git.Output()
	if err != nil {
		return fmt.Errorf("git cat-file: %w", err)
	}
	for _, file := range files {
		head, rest, _ := bytes.Cut(data, []byte("\n"))
		size, err := strconv.Atoi(string(head[bytes.LastIndexByte(head, ' ')+1:]))
		if data = rest; err != nil {
			continue // the copy of the repository lacks this file
		}
		if err := visit(file, data[:size]); err != nil {
			return err
		}
		data = data[size+1:]
	}
	return nil
}

// newRecording reads a pair. It reports false if the pair has no conversation or no bill.
func newRecording(url string, request, answer []byte) (r Recording, ok bool) {
	path, _, _ := strings.Cut(url, "?")
	d, ok := dialects.FromPath(path)
	if !ok {
		return r, false
	}
	codec := dialects.Codec(d)
	decoded, err := codec.Decode(request)
	if err != nil {
		return r, false
	}
	response, err := codec.ReadResponse(answer)
	if err != nil { // it is streamed
		assembler, events := codec.NewAssembler(), sse.NewReader(bytes.NewReader(answer), nil)
		for e, err := events.Next(); err == nil; e, err = events.Next() {
			assembler.Event(e.Name, e.Data)
		}
		response = assembler.Response()
	}
	r = Recording{URL: url, Dialect: d, Model: decoded.Conversation().Model, Billed: response.Usage.Prompt(), Body: string(request)}
	if m := inPath.FindStringSubmatch(path); m != nil {
		r.Model = m[1]
	}
	return r, r.Billed > 0
}

type members = map[string]json.RawMessage

// find finds the requests of a cassette and their answers. vcrpy, VCR, go-vcr, httpmock and
// HAR files have nearly the same members.
func find(file string, data []byte, add func(url string, request, answer []byte)) {
	if strings.Contains(filepath.Ext(strings.TrimSuffix(file, ".gz")), "y") {
		for text := range bytes.SplitSeq(data, []byte("\n---\n")) {
			if converted, err := yaml.YAMLToJSON(bytes.ReplaceAll(text, []byte("!!binary"), nil)); err == nil {
				find("", converted, add)
			}
		}
		return
	}
	var list []json.RawMessage
	var m, request members
	if json.Unmarshal(data, &list) != nil && json.Unmarshal(data, &m) != nil {
		return
	}
	asked, answered := cmp.Or(string(m["request"]), string(m["when"])), cmp.Or(string(m["response"]), string(m["then"]))
	if json.Unmarshal([]byte(asked), &request) == nil && answered != "" {
		var url string
		for _, name := range []string{"path", "url", "uri"} {
			_ = json.Unmarshal(request[name], &url)
		}
		add(url, content([]byte(asked)), content([]byte(answered)))
		return
	}
	for _, one := range m {
		list = append(list, one)
	}
	for _, one := range list {
		find("", one, add)
	}
}

// content returns the body of a request or an answer, whatever its recorder calls it.
func content(raw json.RawMessage) []byte {
	var text string
	var parts []string
	var m members
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if decoded, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "base64:")); err == nil {
			return unpacked(decoded)
		}
		return []byte(text)
	case json.Unmarshal(raw, &parts) == nil:
		return []byte(strings.Join(parts, ""))
	case json.Unmarshal(raw, &m) == nil && m["model"] == nil && m["contents"] == nil:
		for _, name := range []string{"parsed_body", "body", "postData", "content", "string", "base64_string", "text", "chunks"} {
			if inner := m[name]; len(inner) > 0 && string(inner) != "null" {
				return content(inner)
			}
		}
	}
	return raw
}

// unpacked returns what was compressed.
func unpacked(data []byte) []byte {
	if r, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		if plain, err := io.ReadAll(r); err == nil {
			return plain
		}
	}
	return data
}
