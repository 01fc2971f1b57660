package proxy

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

// withoutAddresses returns the text of an error without the addresses that it may
// quote: some clients have their key in the query.
func withoutAddresses(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return strings.TrimSpace(queries.ReplaceAllString(err.Error(), "$1…"))
}

var queries = regexp.MustCompile(`([?&]|[Kk]ey=|[Bb]earer )[^\s"']+`)
