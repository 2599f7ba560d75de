package localkernel

import (
	"fmt"
	"hash/crc32"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
)

// Stamp changes whenever the manifest may have: with every switch, with a
// switches.db that is another than it was, with the program. It costs a look at
// two files and opens no database.
func (k *Kernel) Stamp() string {
	switches := ""
	if k.switches != nil {
		switches = store.Stamp(k.opts.StateDir)
	}
	return fmt.Sprintf("%08x %s", crc32.ChecksumIEEE(manifestJSON), switches)
}

// Unswitched reports whether no switch was ever turned, so that the manifest is
// the one compiled in.
func (k *Kernel) Unswitched() bool { return k.switches == nil || store.Untouched(k.opts.StateDir) }
