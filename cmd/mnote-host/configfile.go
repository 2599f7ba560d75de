package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/mnote-dev/mnote-host/tools"
)

// readFile reads config.toml of the state folder. Only where there is no such
// entry is there no configuration: whatever else keeps it from being read may
// hide a line that narrows.
func (v *values) readFile(state string) map[string]string {
	if state == "" {
		return nil
	}
	data, err := fileOf(state)
	if err != nil {
		v.spoil("", warn("config.toml 读不了：%v", "config.toml cannot be read: %v", err))
		return nil
	}
	if len(data) == 0 { // no file, as in most starts
		return nil
	}
	var doc map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &doc); err != nil {
		v.spoil("", warn("config.toml 读不懂：%v", "config.toml cannot be read: %v", err))
		return nil
	}
	file := map[string]string{}
	for key, val := range doc {
		name := settingName(key)
		at := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
		if at < 0 {
			v.unknown(key, val)
			continue
		}
		if kind := kindOf(val); kind != (text{}) {
			v.hidden(key, val)
			v.spoil(name, warn("config.toml 里的 %[1]s 是%[2]s，应该是一个文本", "config.toml has %[3]s for %[1]s, which must be a text", key, kind.zh, kind.en))
			v.byName[name] = value{settings[at].fallback, "default"}
			continue
		}
		file[settings[at].key()] = fmt.Sprint(val)
	}
	return file
}

// fileOf gives the bytes of config.toml; none where no such entry exists.
func fileOf(state string) ([]byte, error) {
	file := filepath.Join(state, "config.toml")
	_, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // the state folder may be no folder
		return nil, leadsOn(state)
	case err != nil:
		return nil, err
	}
	entry, err := os.Stat(file) // where a link leads
	switch {
	case err != nil:
		return nil, err
	case !entry.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", file)
	}
	return os.ReadFile(file)
}

// leadsOn reports a folder that is a link to nowhere: what lies behind it is not
// absent, it is out of reach.
func leadsOn(dir string) error {
	for {
		_, err := os.Lstat(dir)
		if err == nil {
			if _, err = os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s is a link that leads nowhere", dir)
			}
			return nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// settingName is a key of the file as a setting's name.
func settingName(key string) string { return strings.ReplaceAll(strings.ToLower(key), "_", "-") }

// kindOf names a value that is no single word; the empty text is one that is.
func kindOf(val any) text {
	switch val.(type) {
	case map[string]any:
		return text{"一张表", "a table"}
	case []any:
		return text{"一个列表", "a list"}
	case time.Time, toml.LocalDate, toml.LocalTime, toml.LocalDateTime:
		return text{"一个日期", "a date"}
	}
	return text{}
}

// unknown notes a key of the file that is no setting. One that is nearly a
// setting which takes rights away is taken for that, misspelt; so is one of them
// in a table, where nothing looks for it.
func (v *values) unknown(key string, val any) {
	if near, ok := nearSetting(settingName(key), settingKey); ok && near.narrows {
		v.spoil(near.name, warn("config.toml 里的 %[1]s 不认识；是不是 %[2]s？", "config.toml has an unknown key %[1]s; is %[2]s meant?", key, near.key()))
		return
	}
	if nearProfile(key) {
		v.narrowed(warn("config.toml 里的 %[1]s 不认识；是不是 %[2]s？", "config.toml has an unknown key %[1]s; is %[2]s meant?", key, "profile"))
		return
	}
	if !v.missesScope(key) && !v.hidden(key, val) {
		v.warnings = append(v.warnings, warn("config.toml 里的 %s 不认识，已忽略", "config.toml has an unknown key %s, which was ignored", key))
	}
}

// hidden looks for a key in a table that is, or is nearly, one that narrows.
func (v *values) hidden(key string, val any) bool {
	for _, path := range inside(key, val) {
		last := path[strings.LastIndexByte(path, '.')+1:]
		if near, ok := nearSetting(settingName(last), settingKey); ok && near.narrows {
			v.spoil(near.name, warn("config.toml 里的 %[1]s 在一张表里，不起作用；请把 %[2]s 写在文件开头，所有 [表] 之前", "config.toml has %[1]s in a table, where it means nothing; write %[2]s at the top, before any [table]", path, near.key()))
			return true
		}
		if v.missesScope(path) {
			return true
		}
	}
	return false
}

// inside lists the keys of a table, at any depth, as a.b.c.
func inside(at string, val any) (paths []string) {
	switch val := val.(type) {
	case map[string]any:
		for key, below := range val {
			paths = append(paths, at+"."+key)
			paths = append(paths, inside(at+"."+key, below)...)
		}
	case []any:
		for _, below := range val {
			paths = append(paths, inside(at, below)...)
		}
	}
	slices.Sort(paths)
	return paths
}

func settingKey(s setting) string { return s.name }

// nearSetting finds the setting that a word may be meant for, by the form that
// settings have where the word stood.
func nearSetting(word string, form func(setting) string) (setting, bool) {
	var forms []string
	for _, s := range settings {
		forms = append(forms, form(s))
	}
	for _, near := range tools.Nearest(word, forms, 1) {
		at := slices.Index(forms, near)
		return settings[at], tools.Alike(word, near)
	}
	return setting{}, false
}
