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

// own reports whether a request was signed with these credentials. Those of others are
// never replaced, so that no client gets the rights of the operator.
func (k awsKeys) own(req *http.Request) bool {
	id, _, _ := strings.Cut(awsCredential(req), "/")
	return id != "" && id == k.id && k.secret != "" && req.Header.Get("X-Amz-Security-Token") == k.token
}

// awsCredential returns who signed a request, when and for what.
func awsCredential(req *http.Request) string {
	_, credential, _ := strings.Cut(req.Header.Get("Authorization"), "Credential=")
	credential, _, _ = strings.Cut(credential, ",")
	return credential
}

const awsAlgorithm = "AWS4-HMAC-SHA256"

// signedByAWS reports whether a request has a signature of AWS.
func signedByAWS(req *http.Request) bool {
	return strings.HasPrefix(req.Header.Get("Authorization"), awsAlgorithm)
}

// sign replaces a signature of AWS (version 4). Region and service are those of the old
// one.
func (k awsKeys) sign(req *http.Request, body []byte, now time.Time) {
	at := now.UTC().Format("20060102T150405Z")
	parts := strings.Split(awsCredential(req), "/")
	if len(parts) != 5 {
		return // no signature that a server takes
	}
	region, service := parts[2], parts[3]
	scope := strings.Join([]string{at[:8], region, service, "aws4_request"}, "/")
	req.Header.Set("X-Amz-Date", at)
	req.Header.Del("X-Amz-Content-Sha256")
	headers, names := canonicalHeaders(req)
	digest := sha256.Sum256(body)
	canonical := strings.Join([]string{
		req.Method, escapePath(req.URL.EscapedPath()), strings.ReplaceAll(req.URL.Query().Encode(), "+", "%20"),
		headers, names, hex.EncodeToString(digest[:]),
	}, "\n")
	digest = sha256.Sum256([]byte(canonical))
	key := []byte("AWS4" + k.secret)
	for _, part := range []string{at[:8], region, service, "aws4_request", strings.Join([]string{awsAlgorithm, at, scope, hex.EncodeToString(digest[:])}, "\n")} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	req.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%x", awsAlgorithm, k.id, scope, names, key))
}

// canonicalHeaders returns the headers that are signed, a line each, and their names: those
// that AWS demands. Proxies on the way may change others.
func canonicalHeaders(req *http.Request) (lines, names string) {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	signed := map[string]string{"host": host}
	for name, values := range req.Header {
		if name = strings.ToLower(name); name == "content-type" || strings.HasPrefix(name, "x-amz-") {
			signed[name] = strings.Join(strings.Fields(strings.Join(values, ",")), " ")
		}
	}
	var keys []string
	for name := range signed {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	for _, name := range keys {
		lines += name + ":" + signed[name] + "\n"
	}
	return lines, strings.Join(keys, ";")
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
