package console

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// Every key that a page asks for is a text, in both languages with the same
// places to fill in, and every text is asked for.
func TestWords(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, dir := range []struct {
		files fs.FS
		glob  string
	}{{pageFiles, "pages/*.html"}} {
		names, err := fs.Glob(dir.files, dir.glob)
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(dir.files, name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(data)
		}
	}
	for _, m := range regexp.MustCompile(`\bt "([a-z_]+)"`).FindAllStringSubmatch(source.String(), -1) {
		if _, ok := words[m[1]]; !ok {
			t.Errorf("no text for %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`t \(print "([a-z_]+)"`).FindAllStringSubmatch(source.String(), -1) {
		found := false
		for key := range words {
			found = found || strings.HasPrefix(key, m[1])
		}
		if !found {
			t.Errorf("no text begins with %s", m[1])
		}
	}
	verbs := regexp.MustCompile(`%[ds]`)
	for key, text := range words {
		if text.ZH == "" || text.EN == "" || len(verbs.FindAllString(text.ZH, -1)) != len(verbs.FindAllString(text.EN, -1)) {
			t.Errorf("%s: %+v", key, text)
		}
	}
	if say(tools.EN, "no_such_key") != "no_such_key" {
		t.Error("a key that is none must show itself")
	}
}
