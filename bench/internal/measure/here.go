package measure

import "time"

// Here describes this machine at the start of a run.
func Here(pinned bool) Machine { return machine(time.Now(), pinned) }

// Done notes what else the machine had to do at the end of a run.
func (m *Machine) Done() { m.Load[1] = loadAverage() }
