package page_test
import ("testing";"strings";"syscall";"fmt";"time"
"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func TestTmp(t *testing.T) {
	many := strings.Repeat
	nest := func(n int) string { var b strings.Builder; for i:=0;i<n;i++ { b.WriteString(many("  ", i)+"- x\n") }; return b.String()}
	for name, gen := range map[string]func(n int) string{
		"wide": func(n int) string { return many("a|", n) + "\n" + many("-|", n) + "\n" + many("x\n", n) },
		"delims": func(n int) string { return many("a|b\n-|-|-\n", n) },
		"underl": func(n int) string { return "a|b\n-|-\n"+many("===\n", n) },
		"dash": func(n int) string { return "a|b\n-|-\n"+many("-\n", n) },
		"dashpara": func(n int) string { return many("a\n--\n", n) },
		"math": func(n int) string { return many("$$ a\n", n) },
		"math2": func(n int) string { return many("$$\na\n\n", n) },
		"math3": func(n int) string { return many("$$ a\n\n$$ b\n", n) },
		"refs": func(n int) string { return many("[a]: /x\n", n) },
		"blocks": func(n int) string { return many("x\n\n", n) },
		"heads": func(n int) string { return many("# x\n", n) },
		"heads2": func(n int) string { return "# "+many("y",n)+"\n"+many("## x\n", n) },
		"tags": func(n int) string { return many("<a b ", n) },
		"taglines": func(n int) string { return many("<a b \n", n) },
		"lists": func(n int) string { return many("- x\n", n) },
		"lists2": func(n int) string { return many("- x\n- - y\n\n", n) },
		"tasks": func(n int) string { return many("- [ ] x\n", n) },
		"foot": func(n int) string { return many("[^a]: x\n\n", n) },
		"quotes": func(n int) string { return many("> x\n", n) },
		"quotelazy": func(n int) string { return many(">", 500)+" x\n"+many("lazy\n", n) },
		"listlazy": func(n int) string { return many("- ", 500)+" x\n"+many("lazy\n", n) },
		"quotes500": func(n int) string { return many(many(">", 400)+" x\n", n/100) },
		"nest": func(n int) string { return nest(n/100) },
		"cr": func(n int) string { return many("\r", n) },
		"spaces": func(n int) string { return many(" ", n)+"x" },
		"tabs": func(n int) string { return many("\t", n)+"x" },
		"dashsp": func(n int) string { return "-"+many(" ", n)+"x" },
		"open": func(n int) string { return many("![", n) },
		"img": func(n int) string { return "!"+many("[", n)+many("]",n)+"(x)" },
		"fence": func(n int) string { return many("```\n", n) },
		"comment": func(n int) string { return many("<!-- -->\n", n) },
		"commentopen": func(n int) string { return many("<!--\n", n) },
		"fm": func(n int) string { return "---\n"+many("a: b\n", n) },
		"hash": func(n int) string { return many("#", n) },
		"esc": func(n int) string { return "a|b\n-|-\n"+many("`\\|", n) },
		"eschead": func(n int) string { return many("`\\|", n)+"\n-|-\n" },
	} {
		var d [3]time.Duration
		for i, n := range []int{20000, 40000, 80000} {
			p := page.Parse([]byte(gen(n)))
			s := cpu()
			p.Blocks(); p.Outline(100); p.Under("zz"); p.Summary(100); p.Window("", 20000, page.FormBlocks); p.Title("x")
			d[i] = cpu()-s
		}
		flag := ""
		if d[2] > 30*time.Millisecond && float64(d[2])/float64(d[1]) > 2.8 { flag = "  <<<<<" }
		fmt.Printf("%-12s %v %v %v%s\n", name, d[0], d[1], d[2], flag)
	}
}
