// Package redact keeps secrets out of logs. Errors of HTTP clients carry addresses
// with keys in them, upstreams repeat the key that they refuse, and some code will log
// a header one day: whatever looks like a secret is replaced before it is written,
// wherever it stands.
//
// It knows what keys and tokens look like and nothing of what is logged. A secret that
// looks like nothing cannot be found; so what is known to be one is not logged at all.
package redact

import (
	"regexp"
	"strings"
)

// Mark stands where a secret was.
const Mark = "REDACTED"

// rule is a form of secret, and what is written for it. Texts that have none of the
// hints in them, in lower case, need not be searched.
type rule struct {
	form  *regexp.Regexp
	with  string
	hints []string
}

// rules are tried in order, those that know most of what stands around a secret first.
var rules = []rule{
	// Private keys, also those whose end was cut off.
	{regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----(?s:.*?)(-----END [A-Z0-9 ]*PRIVATE KEY( BLOCK)?-----|\z)`), Mark, []string{"-----begin"}},
	// Users and passwords in addresses. A password may have an @ in it.
	{regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#"'<>]+@`), "${1}" + Mark + "@", []string{"://"}},
	// Parameters of addresses.
	{regexp.MustCompile(`(?i)([?&;](?:key|api[-_]?key|access[-_]?token|refresh[-_]?token|id[-_]?token|token|sig|signature|secret|client[-_]?secret|password|auth|code|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential))=)[^&\s"'#;]+`), "${1}" + Mark, []string{"key=", "token=", "sig=", "signature=", "secret=", "password=", "auth=", "code=", "credential="}},
	// Headers and settings with their names, as text, in JSON or as Go writes maps.
	{regexp.MustCompile(`(?i)\b((?:set-)?cookie\\*"?\s*[:=]\s*(?:\[\s*)?\\*"?)[^"\n\]]+`), "${1}" + Mark, []string{"cookie"}},
	{regexp.MustCompile(`(?i)((?:proxy-)?authorization\\*"?\s*[:=]\s*(?:\[\s*)?\\*"?)(?:[A-Za-z]+\s+)?[^\s"',;\]}\\]{3,}`), "${1}" + Mark, []string{"authorization"}},
	{regexp.MustCompile(`(?i)((?:api|access|secret|private|signing|encryption)[-_ ]?key\\*"?\s*[:=]\s*(?:\[\s*)?\\*"?)[^\s"',;&\]}\\]{3,}`), "${1}" + Mark, []string{"key"}},
	{regexp.MustCompile(`(?i)((?:\b|_|-)(?:token|secret|password|passwd|pwd|credentials?|secretaccesskey|accountkey)\\*"?\s*[:=]\s*(?:\[\s*)?\\*"?)[^\s"',;&\]}\\]{3,}`), "${1}" + Mark, []string{"token", "secret", "password", "passwd", "pwd", "credential", "accountkey"}},
	{regexp.MustCompile(`(?i)\b(bearer)\s+[^\s"',;\]}\\]{6,}`), "${1} " + Mark, []string{"bearer"}},
	// Tokens that are known by how they begin.
	{regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*){0,3}`), Mark, []string{"eyj"}},
	{regexp.MustCompile(`\b(?:` + strings.Join([]string{
		`sk-[A-Za-z0-9_-]{8,}`, `[srp]k_(?:live|test)_[A-Za-z0-9]{8,}`, `whsec_[A-Za-z0-9]{8,}`,
		`gh[pousr]_[A-Za-z0-9]{16,}`, `github_pat_[A-Za-z0-9_]{16,}`, `gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{16,}`,
		`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}`, `AIza[A-Za-z0-9_-]{20,}`, `ya29\.[A-Za-z0-9_-]{8,}`, `GOCSPX-[A-Za-z0-9_-]{8,}`,
		`xox[abceoprs]-[A-Za-z0-9-]{8,}`, `xapp-[A-Za-z0-9-]{8,}`, `hf_[A-Za-z0-9]{16,}`, `gsk_[A-Za-z0-9]{16,}`, `xai-[A-Za-z0-9]{16,}`,
		`pplx-[A-Za-z0-9]{16,}`, `r8_[A-Za-z0-9]{16,}`, `nvapi-[A-Za-z0-9_-]{16,}`, `fw_[A-Za-z0-9]{16,}`, `tgp_v1_[A-Za-z0-9_-]{16,}`,
		`npm_[A-Za-z0-9]{16,}`, `pypi-[A-Za-z0-9_-]{16,}`, `dop_v1_[a-f0-9]{16,}`, `dckr_pat_[A-Za-z0-9_-]{16,}`, `hv[sb]\.[A-Za-z0-9_-]{16,}`,
		`SG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`, `SK[0-9a-f]{32}`, `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{16,}`, `lin_api_[A-Za-z0-9]{16,}`,
		`AGE-SECRET-KEY-1[A-Z0-9]{8,}`, `sbp_[a-f0-9]{16,}`, `dapi[a-f0-9]{24,}`, `[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`,
	}, "|") + `)`), Mark, []string{
		"sk-", "k_live_", "k_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-",
		"akia", "asia", "abia", "acca", "aiza", "ya29.", "gocspx-", "xox", "xapp-", "hf_", "gsk_", "xai-", "pplx-", "r8_", "nvapi-", "fw_", "tgp_v1_",
		"npm_", "pypi-", "dop_v1_", "dckr_pat_", "hvs.", "hvb.", "sg.", "sk", "shp", "lin_api_", "age-secret-key-", "sbp_", "dapi", ":aa",
	}},
}

// Text returns the text with everything replaced that looks like a secret. Doing it
// twice changes nothing more.
func Text(text string) string {
	lower := strings.ToLower(text)
	for _, r := range rules {
		if r.hinted(lower) {
			text = r.form.ReplaceAllString(text, r.with)
		}
	}
	return text
}

func (r rule) hinted(lower string) bool {
	for _, h := range r.hints {
		if strings.Contains(lower, h) {
			return true
		}
	}
	return false
}
