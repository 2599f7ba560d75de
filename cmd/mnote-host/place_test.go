package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every pair of sources for the folder and for the kernel's address: the
// stronger decides, and equal ones belong together.
func TestDecidesThePlace(t *testing.T) {
	t.Parallel()
	abs := func(name string) string { return filepath.Join(t.TempDir(), name) }
	folder, url := abs("notes"), "http://127.0.0.1:9"
	both := [2]string{folder, url}
	for name, tt := range map[string]struct {
		flags map[string]string
		env   []string
		want  [2]string
		aside string
	}{
		"both flags":              {flags: map[string]string{"workspace": folder, "kernel": url}, want: both},
		"both variables":          {env: []string{"MNOTE_WORKSPACE=" + folder, "MNOTE_KERNEL_URL=" + url}, want: both},
		"folder flag":             {flags: map[string]string{"workspace": folder}, env: []string{"MNOTE_KERNEL_URL=" + url}, want: [2]string{folder, ""}, aside: "kernel"},
		"kernel flag":             {flags: map[string]string{"kernel": url}, env: []string{"MNOTE_WORKSPACE=" + folder}, want: [2]string{"", url}, aside: "workspace"},
		"bad folder flag":         {flags: map[string]string{"workspace": "${X}"}, env: []string{"MNOTE_KERNEL_URL=" + url}, aside: "kernel"},
		"empty folder flag":       {flags: map[string]string{"workspace": ""}, env: []string{"MNOTE_WORKSPACE=" + folder, "MNOTE_KERNEL_URL=" + url}, aside: "kernel"},
		"bad variable, good one":  {env: []string{"MNOTE_WORKSPACE=" + folder, "MNOTE_KERNEL_URL=${X}"}, want: [2]string{folder, ""}},
		"empty variable":          {env: []string{"MNOTE_WORKSPACE=", "MNOTE_KERNEL_URL=" + url}, want: [2]string{"", url}},
		"bad flag over variables": {flags: map[string]string{"kernel": "${X}"}, env: []string{"MNOTE_WORKSPACE=" + folder}, aside: "workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := resolve(tt.flags, append(tt.env, "HOME="+t.TempDir()))
			if d := cmp.Diff(tt.want, [2]string{v.get("workspace"), v.get("kernel")}); d != "" {
				t.Error(d)
			}
			if _, ok := v.aside[tt.aside]; ok != (tt.aside != "") || len(v.aside) > 1 || ok != (v.placed() != text{}) {
				t.Errorf("set aside: %v, said %v", v.aside, v.placed())
			}
		})
	}
}

// What is cut fits, and keeps where a path begins and its name.
func TestCutsTheMiddle(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"short.md": "short.md", "a/b/c/d/e/f/g/Page.md": "a/b/…/Page.md", "财务/二〇二六年/季度报告.md": "财务…报告.md", "": "",
	} {
		if got := cutMiddle(s, 13); places(got) > 13 || got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	for most := 1; most < 30; most++ {
		if got := cutMiddle("财务/二〇二六年/a long name of a page.md", most); places(got) > most {
			t.Errorf("%d: %q takes %d", most, got, places(got))
		}
	}
}
