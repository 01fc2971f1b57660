package telemetry

import "github.com/prometheus/client_golang/prometheus"

// Gatherer gives the metrics to tests.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }
