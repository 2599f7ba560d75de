package console

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// Every key that a page asks for is a text, in both languages with the same
// places to fill in, and every text is asked for.
func TestWords(t *testing.T) {
	t.Parallel()
	source := ourSource(t)
	for _, m := range regexp.MustCompile(`(?:p\.t\(|say\([a-zA-Z.()]+, )"([a-z_]+)"(\+?)`).FindAllStringSubmatch(source, -1) {
		_, ok := words()[m[1]]
		for key := range words() {
			ok = ok || m[2] == "+" && strings.HasPrefix(key, m[1])
		}
		if !ok && m[1] != "no_such_key" {
			t.Errorf("no text for %s", m[1])
		}
	}
	for key := range words() {
		head, _, _ := strings.Cut(key, "_")
		if !strings.Contains(source, `"`+key+`"`) && !strings.Contains(source, `"`+head+`_"`) {
			t.Errorf("%s is asked for by nobody", key)
		}
	}
	verbs := regexp.MustCompile(`%[ds]`)
	for key, text := range words() {
		if text.ZH == "" || text.EN == "" || len(verbs.FindAllString(text.ZH, -1)) != len(verbs.FindAllString(text.EN, -1)) {
			t.Errorf("%s: %+v", key, text)
		}
	}
	if say(tools.EN, "no_such_key") != "no_such_key" {
		t.Error("a key that is none must show itself")
	}
}

// ourSource is the package's source, less the texts themselves.
func ourSource(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || file == "words.go" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
