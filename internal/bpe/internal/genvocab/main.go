// Command genvocab turns OpenAI's published .tiktoken files into the vocabularies that package bpe embeds.
//
// Each token of more than one byte is stored as the two tokens whose merge makes it: that is smaller than its bytes
// and is what the encoder needs anyway. Run it by "go generate ./internal/bpe"; the same inputs give the same bytes.
// The inputs come from a Go module that carries the files, which is downloaded but never required by this module,
// and they are checked against the SHA-256 sums that OpenAI publishes with its tokenizer.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// source is a module whose assets directory holds the .tiktoken files.
const source = "github.com/pkoukk/tiktoken-go-loader@v0.0.2"

type input struct{ name, sha256 string }

var inputs = []input{
	{"r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"},
	{"p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"},
	{"cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"},
	{"o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"},
}

func main() {
	out := flag.String("out", "vocab", "directory to write to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "genvocab:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	dir, err := download()
	if err != nil {
		return fmt.Errorf("download %s: %w", source, err)
	}
	for _, in := range inputs {
		text, err := os.ReadFile(filepath.Join(dir, "assets", in.name+".tiktoken"))
		if err != nil {
			return err
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != in.sha256 {
			return fmt.Errorf("%s: sha256 is %x, want %s", in.name, sum, in.sha256)
		}
		packed, err := pack(text)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		if err := os.WriteFile(filepath.Join(out, in.name+".bin"), packed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// download asks the go command for the source module and returns where its files are.
func download() (dir string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", source)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	err = json.Unmarshal(stdout, &module)
	return module.Dir, err
}

// pack returns the vocabulary of one .tiktoken file as bpe embeds it.
func pack(text []byte) ([]byte, error) {
	tokens, err := parse(text)
	if err != nil {
		return nil, err
	}
	pairs, err := split(tokens)
	if err != nil {
		return nil, err
	}
	buf := bytes.NewBuffer(head(tokens, pairs))
	zw, err := gzip.NewWriterLevel(buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := zw.Write(body(pairs)); err != nil {
		return nil, err
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// parse reads lines of "base64 rank". A rank without a line stays the empty string.
func parse(text []byte) ([]string, error) {
	var tokens []string
	for line := range strings.Lines(string(text)) {
		encoded, rank, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			return nil, fmt.Errorf("line %q has no rank", line)
		}
		token, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		id, err := strconv.Atoi(rank)
		if err != nil || id < len(tokens) {
			return nil, fmt.Errorf("line %q: ranks must be numbers that rise", line)
		}
		tokens = append(tokens, make([]string, id-len(tokens))...)
		tokens = append(tokens, string(token))
	}
	if len(tokens) < 256 {
		return nil, errors.New("fewer tokens than bytes")
	}
	return tokens, nil
}

// split finds for each token the two tokens that byte-pair encoding merges last to make it. A rank without a token
// becomes a pair of itself, which no merge can be.
func split(tokens []string) ([][2]int, error) {
	rank := make(map[string]int, len(tokens))
	for id, token := range tokens {
		rank[token] = id
	}
	pairs := make([][2]int, len(tokens))
	for id, token := range tokens {
		switch {
		case token == "":
			pairs[id] = [2]int{id, id}
		case id < 256:
			if len(token) != 1 {
				return nil, fmt.Errorf("token %d is %q, want a single byte", id, token)
			}
		default:
			parts := merge(token, rank, id)
			if len(parts) != 2 {
				return nil, fmt.Errorf("token %d (%q) is no merge of two tokens", id, token)
			}
			pairs[id] = [2]int{rank[parts[0]], rank[parts[1]]}
		}
	}
	return pairs, nil
}

// merge runs byte-pair encoding over token with the ranks below limit.
func merge(token string, rank map[string]int, limit int) []string {
	parts := make([]string, 0, len(token))
	for i := range len(token) {
		parts = append(parts, token[i:i+1])
	}
	for len(parts) > 2 {
		best, at := limit, -1
		for i := range len(parts) - 1 {
			if r, ok := rank[parts[i]+parts[i+1]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			break
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	return parts
}

// head is the part of a vocabulary that does not compress: the 256 single bytes in rank order, the number of the other
// tokens as four bytes, the low bytes of all their left halves and those of all their right halves.
func head(tokens []string, pairs [][2]int) []byte {
	var out []byte
	for _, token := range tokens[:256] {
		out = append(out, token[0])
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(tokens)-256))
	return plane(plane(out, pairs, 0, 0), pairs, 1, 0)
}

// body is the rest: the middle and high bytes of the left halves, then those of the right halves.
func body(pairs [][2]int) []byte {
	left := plane(plane(nil, pairs, 0, 8), pairs, 0, 16)
	return plane(plane(left, pairs, 1, 8), pairs, 1, 16)
}

// plane appends one byte of one half of every token that has halves.
func plane(out []byte, pairs [][2]int, side, shift int) []byte {
	for _, pair := range pairs[256:] {
		out = append(out, byte(pair[side]>>shift))
	}
	return out
}
