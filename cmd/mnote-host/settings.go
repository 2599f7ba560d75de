package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// setting is one row of the configuration: a flag, the environment variable and
// the key of config.toml that mean the same. Flag beats environment beats file.
type setting struct {
	name     string // flag without dashes; the file's key has _ for -
	env      string
	fallback string
	secret   bool // shown as set or not, never by value; not settable by flag
	path     bool // absolute in environment and file; only a typed flag may be relative
	oneOf    []string
	least    int  // a whole number from this on; 0 is any text
	endless  bool // -1 is no limit
	// narrows marks a setting that takes rights away: given, but not to be
	// understood, it must not count as not given.
	narrows bool
	// place marks a setting that says where the notes are: given, but not to be
	// understood, no weaker word may lead to other notes.
	place bool
	usage text
}

// settings lists every value that a person can set.
var settings = []setting{
	{name: "workspace", env: "MNOTE_WORKSPACE", path: true, place: true, usage: text{"笔记文件夹，由内嵌内核打开；与 --kernel 同处给出时是那个内核的根", "folder of notes, opened by the embedded kernel; beside --kernel, that kernel's root"}},
	{name: "kernel", env: "MNOTE_KERNEL_URL", place: true, usage: text{"mnote-web 内核的地址", "URL of an MNote kernel (mnote-web)"}},
	{name: "kernel-token", env: "MNOTE_KERNEL_TOKEN", secret: true, usage: text{"内核令牌", "the kernel's bearer token"}},
	{name: "kernel-token-file", env: "MNOTE_KERNEL_TOKEN_FILE", path: true, usage: text{"存放内核令牌的文件", "file that holds the kernel's bearer token"}},
	{name: "workspace-id", env: "MNOTE_WORKSPACE_ID", usage: text{"工作区 id（远程内核用）", "workspace id, for a remote kernel"}},
	{name: "document", env: "MNOTE_DOCUMENT_ID", usage: text{"当前页面的 id", "id of the page the session is about"}},
	{name: "actor", env: "MNOTE_ACTOR_ID", fallback: "owner", usage: text{"以谁的名义", "who acts"}},
	{name: "session", env: "MNOTE_SESSION_ID", usage: text{"会话 id", "session id"}},
	{name: "run", env: "MNOTE_RUN_ID", usage: text{"运行 id", "run id"}},
	{name: "profile", env: "MNOTE_PROFILE", fallback: "default", usage: text{"配置档：工具开关按它保存", "profile that tool switches are kept by"}},
	{name: "agent-id", env: "MNOTE_AGENT_ID", usage: text{"agent 的 id：hermes、reasonix、mcp 或其它", "agent id: hermes, reasonix, mcp or another"}},
	{name: "client", env: "MNOTE_CLIENT", usage: text{"按哪个客户端的习惯呈现结果", "client whose habits decide how results are shown"}},
	{name: "access-scope", env: "MNOTE_ACCESS_SCOPE", narrows: true, usage: text{"授权范围（JSON）", "what this session is granted, as JSON"}},
	{name: "access-scope-file", env: "MNOTE_ACCESS_SCOPE_FILE", path: true, narrows: true, usage: text{"存放授权范围的文件", "file that holds the access scope"}},
	{name: "refs", env: "MNOTE_CONTEXT_REFS", usage: text{`附加的引用：JSON 列表，如 ["page:a.md","folder:b"]`, `what the person attached: a JSON list such as ["page:a.md","folder:b"]`}},
	{name: "confirm", env: "MNOTE_CONFIRM", oneOf: []string{"never", "destructive", "outside", "writes"}, narrows: true, usage: text{"哪些写入要人确认：never、destructive、outside、writes", "which writes a person confirms: never, destructive, outside or writes"}},
	{name: "max-result", env: "MNOTE_MAX_RESULT", fallback: "15000", least: 1, endless: true, usage: text{"一次结果最多多少字节；-1 为不限", "most bytes of JSON in one result; -1 is no limit"}},
	{name: "rate", env: "MNOTE_RATE", fallback: "200", usage: text{"一次会话每秒最多多少次调用，可以攒十秒；0 为不限", "most calls a second in a session, ten seconds' worth at once; 0 is no limit"}},
	{name: "output-schema", env: "MNOTE_OUTPUT_SCHEMA", fallback: "false", oneOf: []string{"true", "false"}, usage: text{"是否公布 outputSchema", "advertise output schemas: true or false"}},
	{name: "history-keep", env: "MNOTE_HISTORY_KEEP", fallback: "200", least: 1, usage: text{"每个页面至少保留多少个版本；最近 30 天的版本总是保留", "least number of revisions kept of a page; those of the last 30 days are kept in any case"}},
	{name: "state", env: "MNOTE_HOST_STATE", path: true, usage: text{"状态文件夹，默认 ~/.mnote/host", "state folder, ~/.mnote/host by default"}},
	{name: "lang", env: "MNOTE_LANG", oneOf: []string{"zh", "en"}, usage: text{"消息语言：zh 或 en", "language of messages: zh or en"}},
	{name: "log", env: "MNOTE_LOG", fallback: "warn", oneOf: []string{"debug", "info", "warn", "error", "off"}, usage: text{"stderr 日志级别：debug、info、warn、error、off", "log level on stderr: debug, info, warn, error or off"}},
}

// value is what a setting came to, and where from.
type value struct {
	text   string
	source string // flag, environment, file, default
}

// values holds every setting's value by name, and what was wrong on the way.
type values struct {
	byName   map[string]value
	warnings []text
	// spoiled says, by setting, why what was given could not be used; under ""
	// why the whole file could not.
	spoiled map[string]text
	// meant is why a word that is none of ours may have been meant to narrow.
	meant text
	// aside holds what said where the notes are and was outdone, by name.
	aside map[string]value
}

func (v values) get(name string) string { return v.byName[name].text }

// resolve finds each setting's value. Nothing wrong here stops the program: a
// value that cannot be meant is left out with a warning, because the handshake
// must succeed whatever a client passed on (cases S02).
func resolve(flags map[string]string, environ []string) values {
	env := environment(environ)
	v := values{byName: map[string]value{}, spoiled: map[string]text{}, aside: map[string]value{}}
	v.byName["state"] = v.pick(settingNamed("state"), flags, env, nil)
	if v.get("state") == "" {
		v.byName["state"] = value{defaultState(env), "default"}
	}
	file := v.readFile(v.get("state"))
	for _, s := range settings {
		if s.name != "state" {
			v.byName[s.name] = v.pick(s, flags, env, file)
		}
	}
	v.foreign(env)
	v.decidePlace()
	return v
}

// pick takes the first of flag, environment, file and default that is usable.
func (v *values) pick(s setting, flags, env, file map[string]string) value {
	sources := []struct {
		name   string
		values map[string]string
		key    string
	}{{"flag", flags, s.name}, {"environment", env, s.env}, {"file", file, s.key()}}
	for _, from := range sources {
		given, ok := from.values[from.key]
		if !ok {
			continue
		}
		usable, wrong := s.check(given, from.name)
		if wrong == (text{}) {
			return value{usable, from.name}
		}
		v.spoil(s.name, wrong)
		if s.narrows {
			break // a weaker word from further down must not stand in for it
		}
		if s.place && (given != "" || from.name == "flag") { // an empty variable is one that is not set
			return value{"", from.name}
		}
	}
	return value{s.fallback, "default"}
}

// spoil notes that what was given for a setting cannot be used.
func (v *values) spoil(name string, why text) {
	v.spoiled[name] = why
	v.warnings = append(v.warnings, why)
}

// narrowing is why a setting that takes rights away cannot be understood, or
// the empty text. A file that cannot be read may have held one.
func (v values) narrowing() text {
	for _, s := range settings {
		if why, ok := v.spoiled[s.name]; ok && s.narrows {
			return why
		}
	}
	if v.meant != (text{}) {
		return v.meant
	}
	return v.spoiled[""]
}

// narrowed notes a word that is none of ours and may have been meant to narrow.
func (v *values) narrowed(why text) {
	v.meant = why
	v.warnings = append(v.warnings, why)
}

// check returns the value ready for use, or what is wrong with it.
func (s setting) check(given, source string) (string, text) {
	given = strings.TrimSpace(given)
	shown := given
	if s.secret {
		shown = "…"
	}
	where, left := s.named(source), s.left()
	switch {
	case given == "":
		if s.place && source != "flag" {
			left = setting{}.left() // as if it were not set
		}
		return "", warn("%[1]s 是空的，%[2]s", "%[1]s is empty and %[3]s", where, left.zh, left.en)
	case strings.Contains(given, "${"):
		return "", warn("%[1]s 里有没展开的 ${…}：客户端把它原样传来了，%[2]s；请写上真正的值", "%[1]s holds an unexpanded ${…}: the client passed it on as it stands, so it %[3]s; write the real value", where, left.zh, left.en)
	case len(s.oneOf) > 0 && !slices.Contains(s.oneOf, given):
		return "", warn("%[1]s=%[2]s 不认识，%[3]s；可用：%[5]s", "%[1]s=%[2]s is not known and %[4]s; use one of %[5]s", where, shown, left.zh, left.en, strings.Join(s.oneOf, ", "))
	case s.endless && given == "-1":
	case s.least > 0 && !countsFrom(given, s.least):
		return "", s.noCount(where, shown)
	case s.path && strings.HasPrefix(given, "~"):
		return "", warn("%[1]s=%[2]s 不是绝对路径：~ 没有被展开，%[3]s；请写出完整路径", "%[1]s=%[2]s is not an absolute path: the ~ came unexpanded, so it %[4]s; write the whole path", where, shown, left.zh, left.en)
	case s.path && source == "flag":
		if abs, err := filepath.Abs(given); err == nil {
			given = abs
		}
	case s.path && !filepath.IsAbs(given):
		return "", warn("%[1]s=%[2]s 不是绝对路径，%[3]s", "%[1]s=%[2]s is not an absolute path and %[4]s", where, shown, left.zh, left.en)
	}
	return given, text{}
}

// left says what becomes of a value that cannot be meant.
func (s setting) left() text {
	if s.narrows || s.place {
		return text{"不能用", "cannot be used"}
	}
	return text{"已忽略", "was ignored"}
}

func (s setting) noCount(where, shown string) text {
	if s.endless {
		return warn("%[1]s=%[2]s 不是 %[3]d 或更大的整数（-1 为不限），不能用", "%[1]s=%[2]s is no whole number of %[3]d or more (-1 is no limit) and cannot be used", where, shown, s.least)
	}
	return warn("%[1]s=%[2]s 不是 %[3]d 或更大的整数，不能用", "%[1]s=%[2]s is no whole number of %[3]d or more and cannot be used", where, shown, s.least)
}

// countsFrom reports whether a text is a whole number of at least least.
func countsFrom(text string, least int) bool {
	n, err := strconv.Atoi(text)
	return err == nil && n >= least
}

func (s setting) key() string { return strings.ReplaceAll(s.name, "-", "_") }

func (s setting) named(source string) string {
	switch source {
	case "flag":
		return "--" + s.name
	case "environment":
		return s.env
	}
	return "config.toml: " + s.key()
}

func settingNamed(name string) setting {
	return settings[slices.IndexFunc(settings, func(s setting) bool { return s.name == name })]
}

// environment turns KEY=value lines into a map; the last of a key wins.
func environment(environ []string) map[string]string {
	env := map[string]string{}
	for _, line := range environ {
		if key, val, ok := strings.Cut(line, "="); ok {
			env[key] = val
		}
	}
	return env
}

// defaultState is ~/.mnote/host; with no home folder there is none, and writes
// are then refused.
func defaultState(env map[string]string) string {
	for _, key := range []string{"HOME", "USERPROFILE"} {
		if home := env[key]; filepath.IsAbs(home) {
			return filepath.Join(home, ".mnote", "host")
		}
	}
	return ""
}
