package transport

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// awsKeys are the operator's credentials for AWS, with which requests are signed again:
// a signature holds for one body and one host.
type awsKeys struct{ id, secret, token string }

// awsFromEnvironment returns the credentials that the environment has.
func awsFromEnvironment() awsKeys {
	return awsKeys{os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")}
}

const (
	awsAlgorithm = "AWS4-HMAC-SHA256"
	awsTime      = "20060102T150405Z"
	// awsSkew is how far AWS lets a client's clock differ from its own. Within it, a
	// signature can be used again.
	awsSkew = 15 * time.Minute
)

// signedByAWS reports whether a request has a signature of AWS.
func signedByAWS(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), awsAlgorithm)
}

// awsField returns a field of a signature: Credential says who signed, when and for what.
func awsField(req *http.Request, name string) string {
	_, value, _ := strings.Cut(req.Header.Get("Authorization"), name+"=")
	value, _, _ = strings.Cut(value, ",")
	return value
}

// verify reports whether a client signed a request with these credentials. Only then may
// the request be signed again: the id of a key is no secret, and a client that knows just
// the id must not get the rights of the operator.
func (k awsKeys) verify(req *http.Request, body []byte, now time.Time) bool {
	id, scope, _ := strings.Cut(awsField(req, "Credential"), "/")
	if k.id == "" || k.secret == "" || id != k.id || req.Header.Get("X-Amz-Security-Token") != k.token {
		return false
	}
	at := req.Header.Get("X-Amz-Date")
	made, err := time.Parse(awsTime, at)
	if err != nil || now.Sub(made).Abs() > awsSkew {
		return false
	}
	parts := strings.Split(scope, "/")
	if len(parts) != 4 || parts[0] != at[:8] || parts[3] != "aws4_request" {
		return false
	}
	names := strings.Split(awsField(req, "SignedHeaders"), ";")
	for _, name := range namesToSign(req) {
		if name != "content-type" && !slices.Contains(names, name) {
			return false
		}
	}
	return hmac.Equal([]byte(awsField(req, "Signature")), []byte(k.signature(req, body, names, at, scope)))
}

// withoutSignature returns a verified request that names its key instead of its signature,
// which is another one each time.
func withoutSignature(req *http.Request) *http.Request {
	id, _, _ := strings.Cut(awsField(req, "Credential"), "/")
	out := req.Clone(req.Context())
	out.Header.Set("Authorization", awsAlgorithm+" "+id+" "+req.Header.Get("X-Amz-Security-Token"))
	return out
}

// sign replaces a signature of AWS (version 4) that was verified. Region and service are
// those of the old one.
func (k awsKeys) sign(req *http.Request, body []byte, now time.Time) {
	at := now.UTC().Format(awsTime)
	parts := strings.Split(awsField(req, "Credential"), "/")
	scope := strings.Join([]string{at[:8], parts[2], parts[3], "aws4_request"}, "/")
	req.Header.Set("X-Amz-Date", at)
	req.Header.Del("X-Amz-Content-Sha256")
	names := namesToSign(req)
	req.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
		awsAlgorithm, k.id, scope, strings.Join(names, ";"), k.signature(req, body, names, at, scope)))
}

// signature returns the signature of a request that covers the headers of these names.
func (k awsKeys) signature(req *http.Request, body []byte, names []string, at, scope string) string {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	values := map[string]string{}
	for name, lines := range req.Header {
		values[strings.ToLower(name)] = strings.Join(strings.Fields(strings.Join(lines, ",")), " ")
	}
	// Go has these beside the headers.
	values["host"], values["content-length"] = host, strconv.Itoa(len(body))
	headers := ""
	for _, name := range names {
		headers += name + ":" + values[name] + "\n"
	}
	canonical := strings.Join([]string{
		req.Method, escapePath(req.URL.EscapedPath()), strings.ReplaceAll(req.URL.Query().Encode(), "+", "%20"),
		headers, strings.Join(names, ";"), hexDigest(body),
	}, "\n")
	text := strings.Join([]string{awsAlgorithm, at, scope, hexDigest([]byte(canonical))}, "\n")
	key := []byte("AWS4" + k.secret)
	for _, part := range append(strings.Split(scope, "/"), text) {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	return hex.EncodeToString(key)
}

func hexDigest(b []byte) string {
	digest := sha256.Sum256(b)
	return hex.EncodeToString(digest[:])
}

// namesToSign returns the names of the headers that AWS demands in a signature, sorted,
// and of the content type. Proxies on the way may change others.
func namesToSign(req *http.Request) []string {
	names := []string{"host"}
	for name := range req.Header {
		if name = strings.ToLower(name); name == "content-type" || strings.HasPrefix(name, "x-amz-") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// escapePath escapes a path that is escaped already once more, as all services but S3 want.
func escapePath(path string) string {
	if path == "" {
		return "/"
	}
	var out bytes.Buffer
	for _, c := range []byte(path) {
		if c == '/' || c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
