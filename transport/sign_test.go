package transport

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// SignForBedrock signs a request as a client does.
func SignForBedrock(req *http.Request, body []byte, id, secret string, at time.Time) {
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+id+"/20261116/us-east-1/bedrock/aws4_request")
	awsKeys{id: id, secret: secret}.sign(req, body, at)
}

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
		keys.sign(req, []byte(tt.body), at)
		if got := req.Header.Get("Authorization"); !strings.HasSuffix(got, "Signature="+tt.want) || !strings.Contains(got, "AKIDEXAMPLE/20150830/"+tt.scope) {
			t.Errorf("%s: %s, want %s", tt.address, got, tt.want)
		}
		if !keys.verify(req, []byte(tt.body), at) {
			t.Errorf("%s: not signed with these keys", tt.address)
		}
		for _, other := range []awsKeys{{}, {"AKIDOTHER", secret, tt.token}, {"AKIDEXAMPLE", "", tt.token}, {"AKIDEXAMPLE", "guessed", tt.token}, {"AKIDEXAMPLE", secret, "another"}} {
			if other.verify(req, []byte(tt.body), at) {
				t.Errorf("%s: taken for signed with %+v", tt.address, other)
			}
		}
	}
}

func TestASignatureHoldsForOneRequestAndAQuarterOfAnHour(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	keys := awsKeys{id: "AKIDEXAMPLE", secret: "secret"}
	for _, tt := range []struct {
		name   string
		change func(req *http.Request)
		body   string
		now    time.Duration
		want   bool
	}{
		{"nothing changes", nil, "body", 0, true},
		{"it is as old as it may be", nil, "body", awsSkew, true},
		{"the client's clock is as fast as it may be", nil, "body", -awsSkew, true},
		{"a header that is not signed changes", func(req *http.Request) { req.Header.Set("User-Agent", "another") }, "body", 0, true},
		{"it is too old", nil, "body", awsSkew + time.Second, false},
		{"it is of the future", nil, "body", -awsSkew - time.Second, false},
		{"the body changes", nil, "another", 0, false},
		{"the method changes", func(req *http.Request) { req.Method = http.MethodPut }, "body", 0, false},
		{"the host changes", func(req *http.Request) { req.Host = "other.test" }, "body", 0, false},
		{"the path changes", func(req *http.Request) { req.URL.Path = "/model/n/invoke" }, "body", 0, false},
		{"the query changes", func(req *http.Request) { req.URL.RawQuery = "a=2" }, "body", 0, false},
		{"a header that is signed changes", func(req *http.Request) { req.Header.Set("Content-Type", "text/plain") }, "body", 0, false},
		{"a header of AWS is added", func(req *http.Request) { req.Header.Set("X-Amzn-Trace-Id", "t") }, "body", 0, true},
		{"a header that AWS demands in a signature is added", func(req *http.Request) { req.Header.Set("X-Amz-Guardrail", "g") }, "body", 0, false},
		{"the hash of the body is taken out", func(req *http.Request) { req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD") }, "another", 0, false},
		{"the date is moved", func(req *http.Request) { req.Header.Set("X-Amz-Date", "20261116T121000Z") }, "body", 0, false},
		{"there is no date", func(req *http.Request) { req.Header.Del("X-Amz-Date") }, "body", 0, false},
		{"there is no signature", func(req *http.Request) { cutAfter(req, "Signature=") }, "body", 0, false},
		{"there are no fields", func(req *http.Request) { cutAfter(req, awsAlgorithm) }, "body", 0, false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://bedrock.test/model/m/invoke?a=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		SignForBedrock(req, []byte("body"), keys.id, keys.secret, at)
		if tt.change != nil {
			tt.change(req)
		}
		if got := keys.verify(req, []byte(tt.body), at.Add(tt.now)); got != tt.want {
			t.Errorf("%s: verified is %v", tt.name, got)
		}
	}
}

// cutAfter ends the header Authorization after a text.
func cutAfter(req *http.Request, text string) {
	before, _, _ := strings.Cut(req.Header.Get("Authorization"), text)
	req.Header.Set("Authorization", before+text)
}

func TestASignatureThatAWSRefusesIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	at, keys := now.Format(awsTime), awsKeys{id: "AKIDEXAMPLE", secret: "secret"}
	for _, tt := range []struct {
		name, scope, headers string
		want                 bool
	}{
		{"all is well", "20261116/us-east-1/bedrock/aws4_request", "host;x-amz-date", true},
		{"the scope is of another day", "20261115/us-east-1/bedrock/aws4_request", "host;x-amz-date", false},
		{"the scope is short", "20261116/bedrock/aws4_request", "host;x-amz-date", false},
		{"the scope has another end", "20261116/us-east-1/bedrock/aws5_request", "host;x-amz-date", false},
		{"the host is not signed", "20261116/us-east-1/bedrock/aws4_request", "x-amz-date", false},
		{"the date is not signed", "20261116/us-east-1/bedrock/aws4_request", "host", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://bedrock.test/model/m/invoke", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Amz-Date", at)
		signature := keys.signature(req, nil, strings.Split(tt.headers, ";"), at, tt.scope)
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"+tt.scope+",SignedHeaders="+tt.headers+",Signature="+signature)
		if got := keys.verify(req, nil, now); got != tt.want {
			t.Errorf("%s: verified is %v", tt.name, got)
		}
	}
}

func TestAVerifiedRequestNamesItsTenantByTheKey(t *testing.T) {
	t.Parallel()
	signed := func(id, token, signature string) *http.Request {
		req := httptest.NewRequest(http.MethodPost, "/model/m/invoke", nil)
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+id+"/20261116/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature="+signature)
		req.Header.Set("X-Amz-Security-Token", token)
		return req
	}
	tenant := func(id, token, signature string) string {
		return Credential(withoutSignature(signed(id, token, signature)))
	}
	first := tenant("A", "t", "0")
	if tenant("A", "t", "1") != first {
		t.Error("the next request has another tenant")
	}
	if tenant("B", "t", "0") == first || tenant("A", "u", "0") == first {
		t.Error("other keys have the same tenant")
	}
	if Credential(signed("A", "t", "0")) == first {
		t.Error("a request has the tenant of a key before its signature is verified")
	}
}
