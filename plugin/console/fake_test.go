package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

// noon is when the tests happen.
var noon = time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)

// fake is Records in memory. Its fault, when set, is what every method gives.
type fake struct {
	mu    sync.Mutex
	packs []console.Category
	rows  []plugin.AuditRow // oldest first
	plans []plugin.Plan
	fault error
	undo  func(command string) tools.Envelope
	diffs map[string]string
	log   []string // what was changed

	revision int64             // of every page
	undone   map[string]string // which commands are undone, by which
	profiles []string
}

func (f *fake) change(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

func (f *fake) changes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.log)
}

func (f *fake) Packs(context.Context) ([]console.Category, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.packs), f.fault
}

func (f *fake) SwitchPack(_ context.Context, id string, on bool, _ tools.Lang) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return f.fault
	}
	f.change("pack %s %v", id, on)
	return nil
}

func (f *fake) Reset(context.Context, tools.Lang) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return f.fault
	}
	f.change("reset")
	return nil
}

func (f *fake) SwitchTool(_ context.Context, name tools.Name, on bool, _ tools.Lang) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return f.fault
	}
	f.change("tool %s %v", name, on)
	return nil
}

func (f *fake) Audit(_ context.Context, q plugin.AuditFilter) iter.Seq2[plugin.AuditRow, error] {
	return func(yield func(plugin.AuditRow, error) bool) {
		f.mu.Lock()
		rows, fault := slices.Clone(f.rows), f.fault
		f.mu.Unlock()
		if fault != nil {
			yield(plugin.AuditRow{}, fault)
			return
		}
		n := 0
		for _, r := range slices.Backward(rows) {
			switch {
			case q.After != 0 && r.Seq >= q.After, q.Session != "" && r.Session != q.Session, q.Document != "" && r.Document != q.Document,
				q.Tool != "" && r.Tool != q.Tool, !q.Since.IsZero() && r.Time.Before(q.Since):
				continue
			}
			if n++; q.Limit > 0 && n > q.Limit || !yield(r, nil) {
				return
			}
		}
	}
}

func (f *fake) Diff(_ context.Context, command string) (string, error) {
	if f.fault != nil {
		return "", f.fault
	}
	text, ok := f.diffs[command]
	if !ok {
		return "", tools.Errorf(tools.CodeInvalidArgs, tools.Text{ZH: "没有这个命令", EN: "no such command"})
	}
	return text, nil
}

func (f *fake) Undo(_ context.Context, command string, lang tools.Lang) tools.Envelope {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.change("undo %s %s", command, lang)
	if f.undo == nil {
		return tools.Envelope{OK: true}
	}
	return f.undo(command)
}

func (f *fake) Plans(_ context.Context, q plugin.PlanFilter) ([]plugin.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []plugin.Plan
	for _, p := range f.plans {
		if q.Over || p.Decision == plugin.PlanWaiting && noon.Before(p.Expires) {
			p.Preview = nil
			list = append(list, p)
		}
	}
	return list, f.fault
}

func (f *fake) Plan(_ context.Context, id string) (plugin.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.plans {
		if p.ID == id {
			return p, nil
		}
	}
	return plugin.Plan{}, tools.Errorf(tools.CodeConflict, tools.Text{ZH: "没有这个计划", EN: "no such plan"})
}

func (f *fake) Answer(_ context.Context, id string, a plugin.PlanAnswer) (plugin.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.plans {
		if f.plans[i].ID != id {
			continue
		}
		if a.Shown != f.plans[i].Digest() {
			return plugin.Plan{}, tools.Errorf(tools.CodeConflict, tools.Text{ZH: "改动变了", EN: "it has changed"}).With("reason", "changed")
		}
		d := plugin.PlanDeclined
		if a.Yes {
			d = plugin.PlanApproved
		}
		f.change("plan %s %d by %s", id, d, a.By)
		f.plans[i].Decision = d
		return f.plans[i], nil
	}
	return plugin.Plan{}, tools.Errorf(tools.CodeConflict, tools.Text{ZH: "没有这个计划", EN: "no such plan"})
}

func (f *fake) Outdated(_ context.Context, p plugin.Plan) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return p.Revision != 0 && p.Revision < f.revision
}

func (f *fake) Undone(context.Context, []string) (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.undone, f.fault
}

func (f *fake) Profiles(context.Context) []string { return f.profiles }

func (f *fake) For(profile string) console.Records { return inProfile{f, profile} }

// inProfile is the fake with another profile's switches.
type inProfile struct {
	*fake
	profile string
}

func (p inProfile) SwitchTool(_ context.Context, name tools.Name, on bool, _ tools.Lang) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change("tool %s %v for %s", name, on, p.profile)
	return nil
}

// aTool and aPack are as a kernel would list them.
func aTool(name string, kind tools.Kind, status tools.Status) tools.Tool {
	return tools.Tool{
		Name: tools.Name(name), Title: "工具 " + name, Kind: kind, Status: status,
		Enabled: status == tools.StatusAvailable || status == tools.StatusPlanned,
	}
}

func aPack(id, title string, list ...tools.Tool) console.Pack {
	return console.Pack{
		Pack:  capabilities.Pack{ID: id, Title: title, Description: "About " + id + ".", Enabled: true, Toggleable: true, Public: true},
		Tools: list, Chips: []plugin.Chip{plugin.ChipReadOnly},
	}
}

// site is a served console and a browser in front of it.
type site struct {
	t       *testing.T
	console *console.Console
	server  *httptest.Server
	browser *http.Client
	fake    *fake
	now     *time.Time
}

func newSite(t *testing.T, f *fake, change ...func(*console.Config)) *site {
	t.Helper()
	now := noon
	s := &site{t: t, fake: f, now: &now}
	var mu sync.Mutex
	cfg := console.Config{
		Records: f, WorkspaceID: "ws_1", Root: "/home/u/notes", Profile: "default", Zone: time.UTC, Bearer: "bearer-secret",
		Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return *s.now },
	}
	for _, c := range change {
		c(&cfg)
	}
	s.console = console.New(cfg)
	s.server = httptest.NewServer(s.console)
	t.Cleanup(func() { s.console.Close(); s.server.Close() })
	s.browser = s.newBrowser()
	return s
}

func (s *site) newBrowser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// signIn opens a new one-time link.
func (s *site) signIn() *site {
	s.t.Helper()
	if status, _ := s.get(s.console.Link("")); status != http.StatusOK {
		s.t.Fatalf("the link answers %d", status)
	}
	return s
}

// send makes a request as a browser would; header is pairs.
func (s *site) send(method, path string, form url.Values, header ...string) *http.Response {
	s.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.server.URL)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Set(header[i], header[i+1])
		}
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	answer, err := s.browser.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func (s *site) get(path string, header ...string) (int, string) {
	s.t.Helper()
	return s.read(s.send(http.MethodGet, path, nil, header...))
}

// post sends a form with the token of the browser's login.
func (s *site) post(path string, form url.Values, header ...string) (int, string) {
	s.t.Helper()
	if form == nil {
		form = url.Values{}
	}
	if !form.Has("form") {
		form.Set("form", s.token())
	}
	return s.read(s.send(http.MethodPost, path, form, header...))
}

func (s *site) read(r *http.Response) (int, string) {
	s.t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// token reads what the forms of this login carry.
func (s *site) token() string {
	s.t.Helper()
	_, page := s.get("/")
	found := formToken.FindStringSubmatch(page)
	if found == nil {
		s.t.Fatalf("no form on the page: %s", page)
	}
	return found[1]
}

// wants fails unless the page holds every text.
func wants(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
}

// lacks fails when the page holds one of the texts.
func lacks(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("the page holds %q:\n%s", text, page)
		}
	}
}

func object(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
