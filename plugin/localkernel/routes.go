package localkernel

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxBody is the largest request body. It lies above the host's own limit, so
// that the host refuses first and with more to say.
const maxBody = 32 << 20

func (k *Kernel) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/hermes/tools/mnote/call", k.serveCall)
	mux.HandleFunc("GET /api/hermes/tools/mnote/manifest", k.serveManifest)
	mux.HandleFunc("GET /api/hermes/client/capabilities", k.servePacks)
	mux.HandleFunc("PUT /api/hermes/client/capabilities/toggle", k.turnPack)
	mux.HandleFunc("PUT /api/hermes/client/capabilities/reset", k.reset)
	mux.HandleFunc("GET /api/hermes/client/skills", k.serveSkills)
	mux.HandleFunc("PUT /api/hermes/client/skills/toggle", k.turnSkill)
	mux.HandleFunc("GET /api/hermes/client/tools", k.serveTools)
	mux.HandleFunc("PUT /api/hermes/client/tools/toggle", k.turnTool)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		k.refuse(w, r, http.StatusNotFound, tools.Errorf(tools.CodeNotFound, textNoRoute))
	})
	return k.login(mux)
}

var (
	textNoRoute = tools.Text{ZH: "本地内核没有这个接口", EN: "the local kernel has no such endpoint"}
	textLogin   = tools.Text{
		ZH: "未登录：Authorization: Bearer 的令牌缺失或不对（见状态目录的 kernel.token）",
		EN: "not signed in: the bearer token of Authorization is missing or wrong (see kernel.token in the state folder)",
	}
	textHost = tools.Text{
		ZH: "Host 或 Origin 不是本机；本地内核只为本机服务",
		EN: "Host or Origin is not this machine; the local kernel serves this machine only",
	}
)

// login lets nobody in but this machine's own programs with the token. A page
// of the web that leads its name to the loopback address has another Host, and
// one that just sends here has another Origin.
func (k *Kernel) login(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !k.hostServed(r.Host) || !k.originServed(r):
			k.refuse(w, r, http.StatusForbidden, tools.Errorf(tools.CodePermissionDenied, textHost).With("reason", "host"))
		case !k.tokenFits(r.Header.Get("Authorization")):
			k.refuse(w, r, http.StatusUnauthorized, tools.Errorf(tools.CodeUnauthenticated, textLogin))
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

func (k *Kernel) hostServed(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback() ||
		slices.Contains(k.opts.Hosts, name) || slices.Contains(k.opts.Hosts, strings.ToLower(host))
}

// originServed takes a request of no page, of a page that we served, or of one
// that is named in the options.
func (k *Kernel) originServed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil &&
		(u.Host != "" && strings.EqualFold(u.Host, r.Host) || slices.Contains(k.opts.Origins, origins[0]))
}

// tokenFits compares in constant time, whatever the lengths.
func (k *Kernel) tokenFits(header string) bool {
	if k.opts.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(k.opts.Token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

// langOf reads the language wanted: English where Accept-Language puts it
// first, else Chinese.
func langOf(r *http.Request) tools.Lang {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(first)), "en") {
		return tools.EN
	}
	return tools.ZH
}

// refuse answers a request that is no call, or none that can be read.
func (k *Kernel) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	k.send(w, status, map[string]any{"ok": false, "error": tools.AsError(err).In(langOf(r))})
}

func (k *Kernel) send(w http.ResponseWriter, status int, document any) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		k.opts.Log.Error().Err(err).Msg("an answer cannot be encoded")
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes()) // the caller is gone: nobody is left to be told
}
