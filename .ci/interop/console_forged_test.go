package interop

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestConsoleForged: a page of another site, in the very browser that is
// signed in and knowing even the form's token, changes nothing; nor does one
// without a login.
func TestConsoleForged(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	br := newBrowser(t, b)
	link := b.console(t)
	open(br, link)
	base := link[:strings.Index(link, "/open/")]
	token := br.do("attribute", "on", `.pack input[name="form"]`, "name", "value").(string)
	action := base + "/packs/mnote-current-page"
	fields := fmt.Sprintf(`<input name="form" value="%s"><input name="on" value="false">`, html.EscapeString(token))
	body, _ := json.Marshal("form=" + token + "&on=false")
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>evil</title><form method="post" action="%s">%s<button>win</button></form>
<script>window.reach = () => fetch(%q, {method: "POST", mode: "no-cors", credentials: "include",
headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: %s}).catch(() => 0)</script>`, action, fields, action, body)
	}))
	t.Cleanup(evil.Close)
	got := br.do("forge", "page", evil.URL, "action", action).(map[string]any)
	answers := got["answers"].([]any) // that to the fetch may be hidden even from the browser's driver
	for _, status := range answers {
		if status != float64(http.StatusForbidden) {
			t.Errorf("the forged form or fetch was answered %v", status)
		}
	}
	if len(answers) == 0 || !strings.Contains(got["text"].(string), "没有执行") {
		t.Errorf("the forged form was answered %v: %s", answers, got["text"])
	}
	br.do("goto", "url", "/")
	if !br.checked(packSwitch) {
		t.Error("the forged form switched it off")
	}
	r, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusForbidden {
		t.Errorf("the link works twice: %d", r.StatusCode)
	}
}
