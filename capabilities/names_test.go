package capabilities

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestNames: the embedded names are read whole, and hold nothing that is not.
func TestNames(t *testing.T) {
	t.Parallel()
	type entry struct {
		Name string
		Use  tools.Name
	}
	var doc struct {
		Aliases         map[string]tools.Name
		Retired, Compat []entry
		Packs           []struct {
			ID    string
			Tools []string
		}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(namesJSON)))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	list := func(of []entry) (all []former) {
		for _, e := range of {
			all = append(all, former{e.Name, strings.ReplaceAll(e.Name, ".", "_"), e.Use})
		}
		return all
	}
	want := names{aliases: doc.Aliases, retired: list(doc.Retired), compat: list(doc.Compat), packs: map[string][]string{}}
	for _, p := range doc.Packs {
		want.packs[p.ID] = p.Tools
	}
	if len(want.aliases) == 0 || len(want.retired) == 0 || len(want.compat) == 0 || len(want.packs) == 0 {
		t.Fatalf("a kind of names is missing: %+v", want)
	}
	if diff := cmp.Diff(want, known(), cmp.AllowUnexported(names{}, former{})); diff != "" {
		t.Error(diff)
	}
}
