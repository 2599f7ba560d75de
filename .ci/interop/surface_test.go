package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What a model may have to pay for knowing us, with everything on.
const (
	maxListBytes  = 16 << 10
	maxListTokens = 4200
)

// ask starts the host, sends it lines and gives its answers, one each.
func (b box) ask(t *testing.T, args []string, lines ...string) (answers [][]byte) {
	t.Helper()
	cmd := exec.Command(host, args...)
	cmd.Env = b.env()
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := s.ReadBytes('\n')
		if err != nil {
			return answers
		}
		answers = append(answers, line)
	}
}

const listLine = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestSurface: what tools/list costs, counted by OpenAI's tokenizer, and that
// nothing but the manifest can change it.
func TestSurface(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	for name, args := range map[string][]string{
		"local":  {"mcp", "--workspace", b.notes, "--state", b.state},
		"kernel": {"mcp", "--kernel", "http://127.0.0.1:9", "--workspace-id", "ws_1", "--state", b.state},
	} {
		var first []byte
		for _, lang := range []string{"en", "zh", "en"} {
			answers := b.ask(t, append(args, "--lang", lang), listLine)
			if len(answers) != 1 {
				t.Fatalf("%s: %d answers to tools/list", name, len(answers))
			}
			if first == nil {
				first = answers[0]
			}
			if !bytes.Equal(answers[0], first) {
				t.Errorf("%s: tools/list is another one in %s after a restart", name, lang)
			}
		}
		var r struct{ Result json.RawMessage }
		if err := json.Unmarshal(first, &r); err != nil {
			t.Fatal(err)
		}
		tokens := tokensOf(t, r.Result)
		t.Logf("%s: %d bytes, %d tokens", name, len(r.Result), tokens)
		if len(r.Result) > maxListBytes || tokens > maxListTokens {
			t.Errorf("%s: tools/list is %d bytes and %d tokens", name, len(r.Result), tokens)
		}
	}
}

// tokensOf counts a text in tokens of o200k.
func tokensOf(t *testing.T, text []byte) int {
	t.Helper()
	const count = `const need = require('node:module').createRequire(process.argv[1]);
		const text = require('node:fs').readFileSync(0, 'utf8');
		process.stdout.write(String(need('js-tiktoken').getEncoding('o200k_base').encode(text).length));`
	cmd := exec.Command(node(), "-e", count, filepath.Join(peers, "npm", "node_modules", "from"))
	cmd.Stdin = bytes.NewReader(text)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(string(out))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
