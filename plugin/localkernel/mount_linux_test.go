package localkernel

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mnote-dev/mnote-host/tools"
)

// disk mounts a small file system; false where this process may not, and then
// TestDiskFull and TestReadOnlyFile stand for it with faults of their own.
func disk(t *testing.T, size string) (string, bool) {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if !errors.Is(err, unix.EPERM) {
			t.Fatal(err)
		}
		t.Log("no right to mount: covered by the fault hook only")
		return dir, false
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	return dir, true
}

// TestSmallDisk: a real disk that runs full, under the notes and under the
// state.
func TestSmallDisk(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("一段很长的文字。", 20_000)
	if dir, mounted := disk(t, "256k"); mounted {
		b := begin(t, nil)
		b.dir = dir
		b.put("a.md", "x\n")
		b.Kernel = b.open()
		b.refused(tools.CodeKernelUnavailable, "storage", "mnote.page.save", "a.md", appended(big))
		b.refused(tools.CodeKernelUnavailable, "storage", "mnote.doc.create", "", map[string]any{"title": "t", "content": big})
		b.holds("a.md", "x\n")
		b.holds("t.md", "<none>")
		b.swept()
		b.ok("mnote.page.save", "a.md", appended("y"))
		b.holds("a.md", "x\n\ny\n")
	}
	if dir, mounted := disk(t, "1m"); mounted {
		b := begin(t, map[string]string{"a.md": "x\n"})
		b.state = dir
		b.Kernel = b.open()
		b.ok("mnote.page.save", "a.md", appended("y"))
		filler := dir + "/filler"
		_ = os.WriteFile(filler, make([]byte, 2<<20), 0o600)
		before := b.text("a.md")
		refused := false
		for range 50 { // the write-ahead log may have room for some
			if a := b.call("mnote.page.save", "a.md", appended("z"+big[:30_000])); !a.OK {
				refused = true
				if a.Error.Code != tools.CodeKernelUnavailable && a.Error.Code != tools.CodeTimeout {
					t.Errorf("%s", a.raw)
				}
				break
			}
			before = b.text("a.md")
		}
		if !refused {
			t.Error("the disk never ran full")
		}
		b.holds("a.md", before)
		b.ok("mnote.page.get", "a.md", nil, with("toolCallId", "r"))
		b.must(os.Remove(filler))
		b.ok("mnote.page.save", "a.md", appended("after"))
	}
}

// TestReadOnlyDisk: a folder on a read-only disk is read, and nothing else.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	dir, mounted := disk(t, "256k")
	if !mounted {
		return
	}
	b := begin(t, nil)
	b.dir = dir
	b.put("a.md", "x\n")
	b.must(unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	b.Kernel = b.open()
	b.ok("mnote.page.get", "a.md", nil)
	b.refused(tools.CodePermissionDenied, "read_only", "mnote.page.save", "a.md", appended("y"))
	b.refused(tools.CodePermissionDenied, "read_only", "mnote.doc.create", "", map[string]any{"title": "t"})
	b.ok("mnote.artifact.create_summary", "a.md", map[string]any{"summary": "s"})
	b.ok("mnote.artifact.list", "a.md", nil)
}
