package main

import (
	"flag"
	"fmt"
	"os"
)

// sizes are how much of each is done in a round.
type sizes struct{ starts, reads, flood, writes, big int }

func main() {
	rounds := flag.Int("rounds", 5, "rounds; every contender runs in each")
	part := flag.Float64("part", 1, "part of the work of a round")
	flag.Parse()
	if err := run(*rounds, *part); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(rounds int, part float64) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kernel := newKernel()
	defer kernel.Close()
	contenders, err := build(dir, kernel.URL)
	if err != nil {
		return err
	}
	of := func(n int) int { return max(1, int(float64(n)*part)) }
	s := sizes{starts: of(20), reads: of(3000), flood: of(15000), writes: of(1000), big: of(100)}
	all := map[string][]figures{}
	var syncs []float64
	for round := range rounds {
		sync, err := fsync(dir, s.writes)
		if err != nil {
			return err
		}
		syncs = append(syncs, sync)
		for i := range contenders {
			c := contenders[(round+i)%len(contenders)] // nobody is always first
			f, err := c.measure(s)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			all[c.name] = append(all[c.name], f)
		}
	}
	report(contenders, all)
	reportWrites(all, syncs)
	return reportSizes(contenders)
}

// goal is what the host should reach beside the loop.
type goal struct {
	name  string
	value func(figures) float64
	unit  string
	ratio float64 // 0 where there is no goal
	more  bool    // more is better
}

var goals = []goal{
	{"start to tools/list", func(f figures) float64 { return f.start }, "ms", 4, false},
	{"read, one at a time, p50", func(f figures) float64 { return f.read }, "µs", 1.4, false},
	{"  processor time a call", func(f figures) float64 { return f.single.cpu }, "µs", 0, false},
	{"  switches of threads a call", func(f figures) float64 { return f.single.switches }, "", 0, false},
	{"reads a second, 64 in flight", func(f figures) float64 { return f.rate }, "", 0.6, true},
	{"  processor time a call", func(f figures) float64 { return f.crowded.cpu }, "µs", 0, false},
	{"  switches of threads a call", func(f figures) float64 { return f.crowded.switches }, "", 0, false},
	{"1 MB result, p50", func(f figures) float64 { return f.big }, "ms", 1.2, false},
	{"write, one at a time, p50", func(f figures) float64 { return f.write }, "µs", 0, false},
	{"resident memory", func(f figures) float64 { return f.rss }, "MB", 0, false},
}

// report prints medians, and the median of the ratios within each round: a slow
// moment of the machine then slows both.
func report(contenders []contender, all map[string][]figures) {
	loop, rounds := all["loop"], len(all["loop"])
	fmt.Printf("%d rounds; median [least–most], and × of the loop in the same round\n\n", rounds)
	for _, g := range goals {
		fmt.Printf("%s\n", g.name)
		for _, c := range contenders {
			var values, ratios []float64
			for i, f := range all[c.name] {
				values = append(values, g.value(f))
				ratios = append(ratios, g.value(f)/g.value(loop[i]))
			}
			fmt.Printf("  %-11s %s  ×%.2f%s\n", c.name, spread(values, g.unit), median(ratios), g.verdict(c, median(ratios)))
		}
	}
}

// keptGoal is what the host may add to a write for its records, in µs.
const keptGoal = 450

// reportWrites prints what claim, answer and audit add to a write, beside what
// one fsync costs on the same disk; and what all of the host does, guards and the
// way to the kernel and back included.
func reportWrites(all map[string][]figures, syncs []float64) {
	var kept, added []float64
	for i, f := range all["mnote-host"] {
		kept, added = append(kept, f.kept), append(added, f.write-all["loop"][i].write)
	}
	word := "reached"
	if median(kept) > keptGoal {
		word = "missed"
	}
	fmt.Printf("write: claim, answer, audit, p50 %s  (goal %d µs: %s)\n", spread(kept, "µs"), keptGoal, word)
	fmt.Printf("an fsync on the same disk, p50   %s\n", spread(syncs, "µs"))
	fmt.Printf("write, all added to the loop's   %s\n", spread(added, "µs"))
}

func reportSizes(contenders []contender) error {
	for _, c := range contenders {
		file, err := os.Stat(c.binary)
		if err != nil {
			return err
		}
		fmt.Printf("binary, stripped: %-11s %6.2f MB (%.2f MiB)\n", c.name, float64(file.Size())/1e6, float64(file.Size())/(1<<20))
	}
	return nil
}

func spread(values []float64, unit string) string {
	return fmt.Sprintf("%9.1f %-2s [%.1f–%.1f]", median(values), unit, least(values), most(values))
}

func (g goal) verdict(c contender, ratio float64) string {
	switch {
	case c.name != "mnote-host" || g.ratio == 0:
		return ""
	case g.more == (ratio >= g.ratio):
		return fmt.Sprintf("  (goal ×%.1f: reached)", g.ratio)
	}
	return fmt.Sprintf("  (goal ×%.1f: missed)", g.ratio)
}

func least(v []float64) float64 {
	m := v[0]
	for _, x := range v {
		m = min(m, x)
	}
	return m
}

func most(v []float64) float64 {
	m := v[0]
	for _, x := range v {
		m = max(m, x)
	}
	return m
}
