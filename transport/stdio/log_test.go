package stdio

import (
	"io"

	"github.com/rs/zerolog"
)

func logTo(w io.Writer) zerolog.Logger { return zerolog.New(zerolog.SyncWriter(w)) }
