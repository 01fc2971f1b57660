package proxy

import (
	"net/url"
	"slices"
	"strings"
)

// azureHosts are how the names of servers end on which Azure offers models.
var azureHosts = []string{
	".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com", ".api.cognitive.microsoft.com",
	".openai.azure.us", ".cognitiveservices.azure.us", ".openai.azure.cn", ".cognitiveservices.azure.cn",
}

func isAzure(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	return slices.ContainsFunc(azureHosts, func(end string) bool { return strings.HasSuffix(host, end) })
}

// isOwn reports whether a prefix such as /openai is a part of the upstream's API and
// not a choice of upstream: Azure has everything of OpenAI's below /openai, and what is
// Anthropic's below /anthropic. Others that speak of deployments speak Azure's API.
// An upstream that leads further below the prefix than to a version is not left by it.
func isOwn(upstream *url.URL, prefix, rest string) bool {
	switch prefix {
	case "/openai":
		if !isAzure(upstream) && !below(rest, "/deployments") {
			return false
		}
	case "/anthropic":
		if !isAzure(upstream) {
			return false
		}
	default:
		return false
	}
	return !strings.Contains(above(upstream, prefix)+"/", prefix+"/")
}

// above returns the path of an upstream up to a prefix of its own, which may be there
// already, with a version behind it or not.
func above(upstream *url.URL, prefix string) string {
	base := strings.TrimRight(upstream.EscapedPath(), "/")
	trimmed := base
	if cut := strings.LastIndex(base, "/"); cut >= 0 && isVersion(base[cut+1:]) {
		trimmed = base[:cut]
	}
	if front, ok := strings.CutSuffix(trimmed, prefix); ok {
		return front
	}
	return base
}
