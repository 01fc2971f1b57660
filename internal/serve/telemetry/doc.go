// Package telemetry turns what became of managed requests into Prometheus metrics.
// Its subpackages make OpenTelemetry spans of the same and keep secrets out of logs.
//
// It asks nothing: everything comes from [transport.Exchange] values and
// small functions, and nothing that it does can fail a request. Labels are bounded:
// a client can make no new series by inventing names. No content and no credentials
// reach it.
package telemetry
