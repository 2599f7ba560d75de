package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cost is what one call takes from the machine, which others on it move less
// than the time on the clock: µs of processor time, the kernel's share included,
// and how often a thread slept or was put aside.
type cost struct{ cpu, switches float64 }

// cost divides what the process spends during work by n calls.
func (p *process) cost(n int, work func() error) (cost, error) {
	before := p.spent()
	if err := work(); err != nil {
		return cost{}, err
	}
	after := p.spent()
	return cost{(after.cpu - before.cpu) / float64(n), (after.switches - before.switches) / float64(n)}, nil
}

// spent sums over the threads of the process, which Go keeps once it has them; 0
// where /proc is not.
func (p *process) spent() (sum cost) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p.cmd.Process.Pid))
	for _, task := range tasks {
		ran, _ := os.ReadFile(filepath.Join(task, "schedstat"))
		var ns float64
		_, _ = fmt.Sscan(string(ran), &ns)
		sum.cpu += ns / 1000
		sum.switches += status(task, "voluntary_ctxt_switches") + status(task, "nonvoluntary_ctxt_switches")
	}
	return sum
}

// rss gives the resident memory in MB; 0 where /proc is not.
func (p *process) rss() (mb float64) {
	return status(fmt.Sprintf("/proc/%d", p.cmd.Process.Pid), "VmRSS") / 1024
}

// status reads a number of a status file below /proc.
func status(dir, name string) (n float64) {
	file, _ := os.ReadFile(filepath.Join(dir, "status"))
	for _, line := range strings.Split(string(file), "\n") {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			_, _ = fmt.Sscan(value, &n)
		}
	}
	return n
}
