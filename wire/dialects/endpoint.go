package dialects

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// version matches the end of a base address that has the version of an API.
var version = regexp.MustCompile(`/v\d+(alpha|beta)?\d*$`)

// Endpoint returns where a request of a dialect goes on a server. The base is what
// clients of the API are given: with or without a version, or the whole address.
func Endpoint(d plimsoll.Dialect, base *url.URL, model string, stream bool) *url.URL {
	t := Codec(d).Traits()
	u, path := *base, strings.TrimSuffix(base.Path, "/")
	end := t.Paths[0]
	escaped := end
	if t.InPath != "" {
		if stream {
			end = t.Paths[1]
		}
		if stream && t.StreamQuery != "" {
			u.RawQuery = t.StreamQuery
		}
		model = strings.TrimPrefix(model, "models/")
		end, escaped = t.InPath+model+end, t.InPath+url.PathEscape(model)+end
	}
	if strings.HasSuffix(path, end) {
		return &u
	}
	if path == "" || !t.VersionInBase && !version.MatchString(path) {
		path += t.Version
	}
	u.Path, u.RawPath = path+end, (&url.URL{Path: path}).EscapedPath()+escaped
	return &u
}
