package localkernel

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFirstRead is what a person waits for: Open and the first page.get,
// with a state that is there, in folders of different sizes.
func BenchmarkFirstRead(b *testing.B) {
	for _, pages := range []int{10, 2000} {
		b.Run(fmt.Sprintf("%d pages", pages), func(b *testing.B) {
			files := map[string]string{}
			for i := range pages {
				files[fmt.Sprintf("d%d/p%d.md", i%50, i)] = strings.Repeat("# H\n\ntext of the page\n\n- a\n- b\n\n", 40)
			}
			k := begin(b, files)
			k.ok("mnote.page.get", "d1/p1.md", nil)
			b.ResetTimer()
			for range b.N {
				one := k.on(k.open())
				one.ok("mnote.page.get", "d1/p1.md", nil)
				_ = one.Close()
			}
		})
	}
}

func BenchmarkPageGet(b *testing.B) {
	k := begin(b, map[string]string{"a.md": strings.Repeat("# H\n\ntext of the page\n\n- a\n- b\n\n", 300)})
	k.ok("mnote.page.get", "a.md", nil)
	b.ResetTimer()
	for range b.N {
		k.ok("mnote.page.get", "a.md", nil)
	}
}

func BenchmarkPageSave(b *testing.B) {
	k := begin(b, map[string]string{"a.md": strings.Repeat("# H\n\ntext of the page\n\n", 300)})
	title := 0
	b.ResetTimer()
	for range b.N {
		title++
		k.ok("mnote.page.update_title", "a.md", map[string]any{"title": fmt.Sprint("T", title)})
	}
}
