package plugin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
)

// A schema that cannot be compiled is told once for each manifest that has it,
// and the tool runs on.
func TestUnusableSchemaIsTold(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(manifest, `{"q": {"type": "string"}}`, `{"q": {"type": "strng"}}`, 1)
	now := broken
	log := &lines{}
	r := newRig(t, setup{host: logTo(log), manifest: broken, kernel: &kernel{
		manifest: func(context.Context, string) (capabilities.Manifest, error) { return capabilities.Read([]byte(now)) },
	}})
	var told []int
	for range 2 {
		for _, name := range []string{"mnote_free_look", "mnote_page_get", "mnote_free_look"} {
			if env := r.call(name, `{}`); !env.OK {
				t.Fatalf("%s", env.JSON())
			}
		}
		told = append(told, len(faults(t, log)))
		now = strings.Replace(broken, "读页面", "看页面", 1)
		r.call("mnote_no_tool", `{}`) // asks the kernel again
	}
	if diff := cmp.Diff([]int{1, 2}, told); diff != "" {
		t.Errorf("lines after each generation: %s", diff)
	}
	for _, line := range faults(t, log) {
		if why, _ := line["error"].(string); line["tool"] != "mnote.free.look" || !strings.Contains(why, "not checked") {
			t.Errorf("%v", line)
		}
	}
}

func faults(t *testing.T, log *lines) (faults []map[string]any) {
	t.Helper()
	for _, line := range log.all(t) {
		if line["message"] == "a schema of the manifest cannot be used" {
			faults = append(faults, line)
		}
	}
	return faults
}
