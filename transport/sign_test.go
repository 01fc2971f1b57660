package transport

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The first signature is that of AWS's documentation, the others are those of its library
// for Go, aws-sdk-go-v2 1.47.5.
func TestSignaturesAreThoseOfAWS(t *testing.T) {
	t.Parallel()
	const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
	at := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	for _, tt := range []struct {
		method, address, contentType, body, scope, token, want string
	}{
		{"GET", "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", "application/x-www-form-urlencoded; charset=utf-8", "", "us-east-1/iam", "", "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
		{"POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke", "application/json", `{"a":1}`, "us-east-1/bedrock", "tok", "168a179cc3db74459df409d7444f8c7cac6c53dd78c6be804a53d3569455de07"},
		{"POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-haiku-4-5-20251001-v1:0/invoke", "application/json", `{"a":1}`, "us-east-1/bedrock", "tok", "7f5e4723f762eaabcee62fd9d173a5da078519afddc2723fe79b6c4322879a3b"},
		{"POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fabc/invoke?b=2&a=1%20x", "application/json", `{"a":1}`, "us-east-1/bedrock", "tok", "4bd0044783a7c2549b3c1d18237c2dd9c50c02c2a1c0e89ecf4399e214742e41"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, tt.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", tt.contentType)
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150829/"+tt.scope+"/aws4_request, SignedHeaders=host, Signature=0")
		if tt.token != "" {
			req.Header.Set("X-Amz-Security-Token", tt.token)
		}
		keys := awsKeys{"AKIDEXAMPLE", secret, tt.token}
		if !keys.own(req) {
			t.Errorf("%s: not signed with these keys", tt.address)
		}
		keys.sign(req, []byte(tt.body), at)
		if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+tt.want) || !strings.Contains(got, "AKIDEXAMPLE/20150830/"+tt.scope) {
			t.Errorf("%s: %s, want %s", tt.address, got, tt.want)
		}
		for _, other := range []awsKeys{{}, {"AKIDOTHER", secret, tt.token}, {"AKIDEXAMPLE", "", tt.token}, {"AKIDEXAMPLE", secret, "another"}} {
			if other.own(req) {
				t.Errorf("%s: taken for signed with %+v", tt.address, other)
			}
		}
	}
}
