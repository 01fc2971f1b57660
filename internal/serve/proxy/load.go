package proxy

// Load is what a server bears at a moment.
type Load struct {
	// Requests that are under way, and those of them that are Waiting for memory.
	Requests, Waiting int
	// Memory that is claimed by bodies, in bytes.
	Memory int64
}

// Load returns what the server bears now.
func (s *Server) Load() Load {
	waiting, used := s.memory.load()
	return Load{Requests: s.flights.count(), Waiting: waiting, Memory: used}
}

func (g *gate) load() (waiting int, used int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting[0]) + len(g.waiting[1]), g.used
}
