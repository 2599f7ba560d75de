package proofs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The tests of this file run one after the other: what they mount is the whole
// process's.

// mount mounts something for the length of a test.
func (b *box) mount(source, target, kind string, flags uintptr, data string) {
	b.t.Helper()
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		b.t.Fatalf("mount %s: %v (the proofs run as root in a mount namespace of their own: unshare --mount)", target, err)
	}
	b.t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
}

// small puts a folder on a file system of so many KiB.
func (b *box) small(dir string, kib int) {
	b.t.Helper()
	b.mount("none", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kib))
}

// readOnly makes a file or a folder one that nobody can write, root included.
func (b *box) readOnly(path string) {
	b.t.Helper()
	b.mount(path, path, "", syscall.MS_BIND, "")
	if err := syscall.Mount("", path, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		b.t.Fatal(err)
	}
}

func appendTo(name, text, key string) map[string]any {
	return map[string]any{"documentId": name, "mode": "append", "dryRun": false, "idempotencyKey": key, "content": []any{map[string]any{"text": text}}}
}

// refusedAs fails unless a call is refused as storage that cannot be written,
// without a byte changed; it gives the refusal.
func (b *box) refusedAs(a *agent, name, code, reason string, args map[string]any) envelope {
	b.t.Helper()
	before := b.bytes(name)
	env, err := a.call("mnote_page_save", args)
	b.must(err)
	if env.OK || env.code() != code || reason != "" && env.reason() != reason {
		b.t.Errorf("want %s (%s), got %s", code, reason, env.raw)
	}
	if !bytes.Equal(b.bytes(name), before) {
		b.t.Errorf("a refused write changed %s", name)
	}
	return env
}

func (b *box) reads(a *agent, name string) {
	b.t.Helper()
	env, err := a.call("mnote_page_get", map[string]any{"documentId": name, "maxChars": 100})
	b.must(err)
	if !env.OK || env.Result.ContentHash != hashOf(b.bytes(name)) {
		b.t.Errorf("reading on: %s", env.raw)
	}
}

// TestDiskFull: the disk of the notes, of the state, or of both fills up at a
// place that nobody chose. A write is whole or refused as storage; reading goes
// on; with room again the same key makes the write, once.
func TestDiskFull(t *testing.T) {
	for _, which := range []string{"notes", "state", "both"} {
		t.Run(which, func(t *testing.T) {
			b := newBox(t)
			d := fullDisk{box: b, dir: map[string]string{"notes": b.notes, "state": b.state, "both": filepath.Dir(b.notes)}[which], roll: newRoll(len(which))}
			b.small(d.dir, 64<<10)
			b.must(os.MkdirAll(b.notes, 0o700))
			b.must(os.MkdirAll(b.state, 0o700))
			b.put("a.md", []byte(heavy(1)))
			d.agent = b.agent()
			b.reads(d.agent, "a.md")
			tries := size(12, 300)
			for i := range tries {
				d.write(fmt.Sprintf("line %d.", i))
				if i%20 == 19 { // so that the page does not grow without end
					b.must(d.agent.leave())
					b.put("a.md", []byte(heavy(i)))
					d.agent = b.agent()
				}
			}
			t.Logf("%d writes on a full disk: %d whole, %d refused with no byte changed; with room again each key made its write once", tries, d.written, d.refused)
			if d.refused == 0 {
				t.Error("no disk was full")
			}
			b.swept()
		})
	}
}

type fullDisk struct {
	box              *box
	roll             roll
	dir              string
	agent            *agent
	written, refused int
}

// write sends one write while the disk is full, and again when it is not.
func (d *fullDisk) write(text string) {
	b := d.box
	b.t.Helper()
	spare := d.roll.IntN(160)
	b.fill(d.dir, spare)
	want := string(b.bytes("a.md"))
	after := want + "\n" + text + "\n"
	first, err := d.agent.call("mnote_page_save", appendTo("a.md", text, "key "+text))
	b.must(err)
	switch got := string(b.bytes("a.md")); {
	case first.OK && got == after:
		d.written++
	case !first.OK && slices.Contains([]string{"storage", "no_state"}, first.reason()) && got == want:
		d.refused++
	case !first.OK && first.code() == "mnote_tool_timeout" && (got == want || got == after):
		d.refused++ // told that the outcome is unknown
	default:
		b.t.Errorf("%d KiB free: told %s, the page changed: %t", spare, first.raw, got != want)
	}
	b.reads(d.agent, "a.md")
	b.must(os.Remove(filepath.Join(d.dir, "fill")))
	env, err := d.agent.call("mnote_page_save", appendTo("a.md", text, "key "+text))
	if err != nil || !env.OK || string(b.bytes("a.md")) != after {
		b.t.Fatalf("told at first (%d KiB free) %s; with room again: %v %s", spare, first.raw, err, env.raw)
	}
}

// fill leaves so many KiB free.
func (b *box) fill(dir string, spare int) {
	b.t.Helper()
	f, err := os.Create(filepath.Join(dir, "fill"))
	b.must(err)
	defer f.Close()
	for range 100 { // the host writes its audit meanwhile
		var disk syscall.Statfs_t
		b.must(syscall.Statfs(dir, &disk))
		free := int64(disk.Bavail)*disk.Bsize - int64(spare)<<10
		if free <= 0 {
			return
		}
		if err = syscall.Fallocate(int(f.Fd()), 0, 0, free); err == nil {
			return
		}
	}
	b.must(err)
}

// TestReadOnly: a page or the whole folder that cannot be written, by a mount or
// by its owner, is read; writing is refused by name.
func TestReadOnly(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		b := newBox(t)
		b.put("a.md", []byte("# A\n"))
		b.put("b.md", []byte("# B\n"))
		b.readOnly(b.path("a.md"))
		a := b.agent()
		b.reads(a, "a.md")
		b.refusedAs(a, "a.md", "mnote_tool_permission_denied", "read_only", appendTo("a.md", "x", "k1"))
		env, err := a.call("mnote_page_save", appendTo("b.md", "x", "k2"))
		b.must(err)
		if !env.OK {
			t.Errorf("the page beside it: %s", env.raw)
		}
		b.swept()
	})
	t.Run("folder", func(t *testing.T) {
		b := newBox(t)
		b.put("a.md", []byte("# A\n"))
		b.readOnly(b.notes)
		a := b.agent()
		b.reads(a, "a.md")
		b.refusedAs(a, "a.md", "mnote_tool_permission_denied", "read_only", appendTo("a.md", "x", "k1"))
		env, err := a.call("mnote_doc_create", map[string]any{"path": "new.md", "content": "x", "dryRun": false})
		b.must(err)
		if env.code() != "mnote_tool_permission_denied" || env.reason() != "read_only" {
			t.Errorf("a new page: %s", env.raw)
		}
		b.reads(a, "a.md")
	})
	t.Run("state folder", func(t *testing.T) {
		b := newBox(t)
		b.put("a.md", []byte("# A\n"))
		b.readOnly(b.state)
		a := b.agent()
		env, err := a.call("mnote_page_get", map[string]any{"documentId": "a.md"})
		b.must(err)
		if !env.OK {
			t.Errorf("reading: %s", env.raw)
		}
		if env := b.refusedAs(a, "a.md", "mnote_kernel_unavailable", "no_state", appendTo("a.md", "x", "k1")); !strings.Contains(env.Error.Message, "--state") {
			t.Errorf("the refusal names no way out: %s", env.raw)
		}
	})
	for name, modes := range map[string][2]os.FileMode{"another's file": {0o444, 0o777}, "another's folder": {0o444, 0o555}} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.put("a.md", []byte("# A\n"))
			b.must(os.Chmod(b.path("a.md"), modes[0]))
			b.must(os.Chmod(b.notes, modes[1]))
			a := b.nobody()
			b.reads(a, "a.md")
			env, err := a.call("mnote_page_save", appendTo("a.md", "x", "k1"))
			b.must(err)
			if env.code() != "mnote_tool_permission_denied" || env.reason() != "read_only" || string(b.bytes("a.md")) != "# A\n" {
				t.Errorf("told %s; the page is %q", env.raw, b.bytes("a.md"))
			}
			b.swept()
		})
	}
}

// nobody starts a host whose user owns nothing but its home and its state.
func (b *box) nobody() *agent {
	b.t.Helper()
	const uid = 65534
	for dir := b.notes; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && dir != b.notes {
			b.must(os.Chmod(dir, info.Mode().Perm()|0o755))
		}
	}
	for _, dir := range []string{b.home, b.state} {
		b.must(os.Chown(dir, uid, uid))
	}
	open := filepath.Join(filepath.Dir(b.notes), "mnote-host")
	program, err := os.ReadFile(host)
	b.must(err)
	b.must(os.WriteFile(open, program, 0o755))
	cmd := exec.Command(open, b.args()...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	a, err := b.startBy(cmd)
	b.must(err)
	return a
}

// TestVanished: the folder goes away under a host, by deletion or by an unplugged
// disk, and comes back.
func TestVanished(t *testing.T) {
	b := newBox(t)
	b.put("a.md", []byte("# A\n"))
	a := b.agent()
	b.reads(a, "a.md")
	gone := b.notes + ".elsewhere"
	b.must(os.Rename(b.notes, gone))
	for tool, args := range map[string]map[string]any{
		"mnote_page_get": {"documentId": "a.md"}, "mnote_page_save": appendTo("a.md", "x", "k1"), "mnote_doc_list": {},
		"mnote_doc_create": {"path": "b.md", "content": "x", "dryRun": false},
	} {
		env, err := a.call(tool, args)
		b.must(err)
		if env.code() != "mnote_kernel_unavailable" || env.reason() != "workspace_gone" {
			t.Errorf("%s: %s", tool, env.raw)
		}
	}
	if _, err := os.Stat(b.notes); err == nil {
		t.Error("the folder was made again")
	}
	if data, err := os.ReadFile(filepath.Join(gone, "a.md")); err != nil || string(data) != "# A\n" {
		t.Errorf("the page elsewhere: %q %v", data, err)
	}
	b.must(os.Rename(gone, b.notes))
	b.reads(a, "a.md")
	if env, err := a.call("mnote_page_save", appendTo("a.md", "x", "k1")); err != nil || !env.OK || string(b.bytes("a.md")) != "# A\n\nx\n" {
		t.Errorf("the folder is back: %v %s", err, env.raw)
	}
}
