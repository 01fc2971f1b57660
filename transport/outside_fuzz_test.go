package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// FuzzControls: whatever a client writes into its control headers is read or refused, and no
// header of ours is left for the upstream.
func FuzzControls(f *testing.F) {
	f.Add("1", "auto", "6000", "role=user", "mine", "0")
	f.Add("off", "", "-1", "match=(?:a|b)*$", "x\x00y", "yes")
	f.Add("", "nosuch", "99999999999999999999", "index=-3", strings.Repeat("é", 100), "")
	f.Fuzz(func(t *testing.T, bypass, preset, limit, pin, conversation, dryRun string) {
		h := http.Header{HeaderBypass: {bypass}, HeaderPreset: {preset}, HeaderLimit: {limit}, HeaderPin: {pin, pin}, HeaderConversation: {conversation}, HeaderDryRun: {dryRun}, "X-Own": {pin}}
		c, err := readControls(h)
		if err == nil && (c.limit < 0 || len(c.pins) != 2 || c.conversation != conversation) {
			t.Errorf("%+v", c)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		stripControls(h)
		if len(h) != 1 {
			t.Errorf("left: %v", h)
		}
	})
}

// FuzzSignature: no text in the place of a signature of AWS is believed, nor harms.
func FuzzSignature(f *testing.F) {
	f.Add("AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=00ff", "20260101T000000Z", "/model/m/invoke")
	f.Add("AWS4-HMAC-SHA256 Credential=////, SignedHeaders=;;, Signature=", "", "/%2e%2e/")
	f.Add("AWS4-HMAC-SHA256 ,=,=,", "99999999T999999Z", "/a b")
	f.Fuzz(func(t *testing.T, authorization, date, path string) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.URL.Path = path
		r.Header.Set("Authorization", authorization)
		r.Header.Set("X-Amz-Date", date)
		r.Header.Set("X-Amz-Security-Token", "t")
		k := awsKeys{id: "AKID", secret: "not to be guessed", token: "t"}
		if signedByAWS(r) && k.verify(r, []byte("{}"), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%q is believed", authorization)
		}
	})
}
