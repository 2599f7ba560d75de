package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// readAll reads frames to the end; a line that is too long stands in the list
// as its error.
func readAll(t testing.TB, f *Frames) []string {
	t.Helper()
	var got []string
	for {
		line, err := f.Read()
		switch {
		case err == nil:
			got = append(got, string(line))
		case errors.Is(err, io.EOF):
			return got
		default:
			if _, ok := errors.AsType[*TooLongError](err); !ok {
				t.Fatalf("Read: %v", err)
			}
			got = append(got, "! "+err.Error())
		}
	}
}

func TestFramesRead(t *testing.T) {
	t.Parallel()
	const tooLong = "! a line of 11 bytes is longer than the limit of 10"
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":               {"", nil},
		"lines":                 {"a\nbb\n", []string{"a", "bb"}},
		"CRLF":                  {"a\r\nb\r\n", []string{"a", "b"}},
		"no line end":           {"a\nb", []string{"a", "b"}},
		"CR at the end":         {"a\r", []string{"a"}},
		"blank lines":           {"\n\r\n \t\na\n\n", []string{"a"}},
		"space around":          {"  a b \t\n", []string{"a b"}},
		"at the limit":          {"0123456789\n0123456789\r\n0123456789", []string{"0123456789", "0123456789", "0123456789"}},
		"above, in the middle":  {"a\n0123456789x\nb\n", []string{"a", tooLong, "b"}},
		"above, CRLF":           {"0123456789\r\r\nb\n", []string{tooLong, "b"}},
		"above, at the end":     {"a\n0123456789x", []string{"a", tooLong}},
		"above, blank":          {"           \na\n", []string{tooLong, "a"}},
		"much above":            {strings.Repeat("x", 300_000) + "\na\n", []string{"! a line of 300000 bytes is longer than the limit of 10", "a"}},
		"two above in a row":    {"0123456789x\n0123456789y\n", []string{tooLong, tooLong}},
		"NUL and other control": {"\x00\x01\n", []string{"\x00\x01"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, r := range map[string]io.Reader{
				"at once":           strings.NewReader(c.in),
				"byte by byte":      iotest.OneByteReader(strings.NewReader(c.in)),
				"error with data":   iotest.DataErrReader(strings.NewReader(c.in)),
				"with empty reads":  &stutter{r: strings.NewReader(c.in)},
				"in halves of what": iotest.HalfReader(strings.NewReader(c.in)),
			} {
				got := readAll(t, NewFrames(FramesConfig{In: r, MaxLine: 10}))
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// stutter gives nothing on every other read.
type stutter struct {
	r   io.Reader
	odd bool
}

func (s *stutter) Read(p []byte) (int, error) {
	if s.odd = !s.odd; s.odd {
		return 0, nil
	}
	return s.r.Read(p)
}

func TestFramesReadErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	f := NewFrames(FramesConfig{In: io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(boom))})
	if line, err := f.Read(); string(line) != "a" || err != nil {
		t.Errorf("Read = %q, %v", line, err)
	}
	for range 2 { // half a line is no line, and the error stays
		if line, err := f.Read(); !errors.Is(err, boom) {
			t.Errorf("Read = %q, %v", line, err)
		}
	}
	f = NewFrames(FramesConfig{In: iotest.TimeoutReader(strings.NewReader(strings.Repeat("x", 100))), MaxLine: 10})
	if _, err := f.Read(); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("Read in the middle of a long line: %v", err)
	}
	f = NewFrames(FramesConfig{In: emptyReader{}})
	if _, err := f.Read(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("Read of a reader that gives nothing: %v", err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// The two ends of a line that is too long are kept, so that its id can be found.
func TestTooLongKeepsTheEnds(t *testing.T) {
	t.Parallel()
	for _, size := range []int{11, excerpt, excerpt + 1, 2 * excerpt, 2*excerpt + 1, 1 << 20} {
		line := make([]byte, size)
		for i := range line {
			line[i] = 'a' + byte(i%23)
		}
		f := NewFrames(FramesConfig{In: iotest.HalfReader(bytes.NewReader(line)), MaxLine: 10})
		_, err := f.Read()
		long, ok := errors.AsType[*TooLongError](err)
		if !ok || long.Size != int64(size) || long.Limit != 10 {
			t.Fatalf("%d bytes: %v", size, err)
		}
		head := line[:min(size, excerpt)]
		tail := line[max(len(head), size-excerpt):]
		if !bytes.Equal(long.Head, head) || !bytes.Equal(long.Tail, tail) {
			t.Errorf("%d bytes: head of %d and tail of %d are not the ends of the line", size, len(long.Head), len(long.Tail))
		}
	}
}

// What Read gives belongs to the caller: later reads do not touch it.
func TestFramesReadGivesTheBytesAway(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	var want []string
	for i := range 200 {
		line := fmt.Sprint(i, ":", strings.Repeat(string(rune('a'+i%26)), []int{3, 40_000, 100, 200_000, 70_000, 33_000}[i%6]))
		want = append(want, line)
		in.WriteString(line + "\n")
	}
	for way, r := range map[string]io.Reader{
		"at once": strings.NewReader(in.String()), "halves": iotest.HalfReader(strings.NewReader(in.String())),
	} {
		f := NewFrames(FramesConfig{In: r})
		var got [][]byte
		for range want {
			line, err := f.Read()
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, line)
		}
		for i := range want {
			if string(got[i]) != want[i] {
				t.Fatalf("%s: line %d was changed by a later read", way, i)
			}
			_ = append(got[i], "must not reach the next line"...)
		}
	}
}

// After a long line the reader does not keep its memory.
func TestFramesGiveBackMemory(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 8<<20)
	f := NewFrames(FramesConfig{In: strings.NewReader(long + "\n" + long + "x\na\n"), MaxLine: 8 << 20})
	if got := readAll(t, f); len(got) != 3 || got[0] != long {
		t.Fatalf("read %d lines", len(got))
	}
	if size := len(f.in.buf); size > keepTop {
		t.Errorf("the buffer still has %d bytes", size)
	}
}

func TestFramesLook(t *testing.T) {
	t.Parallel()
	in := "  {\"id\":1}\r\n\n" + strings.Repeat("x", 200_000) + "\nskipped\nlast"
	f := NewFrames(FramesConfig{In: iotest.HalfReader(strings.NewReader(in))})
	look := func(n int, head string, whole bool) {
		t.Helper()
		got, err := f.Look(n)
		if err != nil || got.Whole != whole || !strings.HasPrefix(string(got.Head), head) || (whole && string(got.Head) != head) {
			t.Errorf("Look(%d) = %.20q of %d bytes, whole %v, %v; want %.20q, whole %v", n, got.Head, len(got.Head), got.Whole, err, head, whole)
		}
	}
	take := func(want string) {
		t.Helper()
		if got, err := f.Take(); err != nil || string(got) != want {
			t.Errorf("Take = %.20q (%d bytes), %v; want %.20q", got, len(got), err, want)
		}
	}
	look(1000, "  {\"id\":1}\r\n", true)
	take("  {\"id\":1}\r\n")
	look(1000, "\n", true)
	take("\n")
	look(10, "xxxxxxxxxx", false)
	look(100_000, strings.Repeat("x", 100_000), false) // more of the same line
	take(strings.Repeat("x", 200_000) + "\n")
	look(3, "skipped\n", true)
	if err := f.Skip(); err != nil {
		t.Errorf("Skip: %v", err)
	}
	look(1000, "last", true)
	take("last")
	if _, err := f.Look(1); !errors.Is(err, io.EOF) {
		t.Errorf("Look at the end: %v", err)
	}
	if _, err := f.Take(); !errors.Is(err, io.EOF) {
		t.Errorf("Take at the end: %v", err)
	}
}

func TestFramesPass(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 100_000)
	in := "a\r\n\n \n\xff\x00\n" + long + "\nlast " + long
	var out bytes.Buffer
	from := NewFrames(FramesConfig{In: iotest.HalfReader(strings.NewReader(in))})
	to := NewFrames(FramesConfig{Out: &out})
	for {
		if _, err := from.Look(512); err != nil {
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			break
		}
		if err := from.Pass(to); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != in {
		t.Errorf("%d bytes came out of %d", out.Len(), len(in))
	}
	if size := len(from.in.buf); size > chunk {
		t.Errorf("passing grew the buffer to %d", size)
	}
}

func TestFramesPassErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	long := strings.Repeat("x", 200_000)
	t.Run("above the limit", func(t *testing.T) {
		from := NewFrames(FramesConfig{In: strings.NewReader(long + "\nnext\n"), MaxLine: 1000})
		if err := from.Pass(NewFrames(FramesConfig{Out: io.Discard})); !errors.As(err, new(*TooLongError)) {
			t.Errorf("Pass: %v", err)
		}
		from = NewFrames(FramesConfig{In: strings.NewReader(long + "\nnext\n"), MaxLine: 1000})
		if _, err := from.Take(); !errors.As(err, new(*TooLongError)) {
			t.Errorf("Take: %v", err)
		}
		if got, err := from.Take(); string(got) != "next\n" {
			t.Errorf("Take after it: %q, %v", got, err)
		}
	})
	t.Run("the reader breaks in the middle", func(t *testing.T) {
		from := NewFrames(FramesConfig{In: io.MultiReader(strings.NewReader(long), iotest.ErrReader(boom))})
		if err := from.Pass(NewFrames(FramesConfig{Out: io.Discard})); !errors.Is(err, boom) {
			t.Errorf("Pass: %v", err)
		}
	})
	t.Run("the writer breaks, and stays broken", func(t *testing.T) {
		from := NewFrames(FramesConfig{In: strings.NewReader("a\nb\n")})
		to := NewFrames(FramesConfig{Out: &failing{after: 1, err: boom}})
		if _, err := to.Write([]byte("x\n")); err != nil {
			t.Errorf("Write: %v", err)
		}
		for range 2 {
			if err := from.Pass(to); !errors.Is(err, boom) {
				t.Errorf("Pass: %v", err)
			}
		}
		if _, err := to.Write([]byte("x\n")); !errors.Is(err, boom) {
			t.Errorf("Write: %v", err)
		}
	})
	t.Run("a short write", func(t *testing.T) {
		to := NewFrames(FramesConfig{Out: &failing{}})
		if _, err := to.Write([]byte("x\n")); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("Write: %v", err)
		}
	})
}

// failing takes so many writes whole and then fails, or writes short.
type failing struct {
	after int
	err   error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.after > 0 {
		f.after--
		return len(p), nil
	}
	return 0, f.err
}

// While a frame is passed in pieces nothing comes between them.
func TestFramesPassHoldsTheWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var out bytes.Buffer
		from, to := NewFrames(FramesConfig{In: r}), NewFrames(FramesConfig{Out: &out})
		passed := make(chan error)
		go func() { passed <- from.Pass(to) }()
		_, _ = io.WriteString(w, "first half, ")
		synctest.Wait()
		for range 3 {
			go func() { _, _ = to.Write([]byte("other\n")) }()
		}
		synctest.Wait()
		_, _ = io.WriteString(w, "second half\n")
		if err := <-passed; err != nil {
			t.Errorf("Pass: %v", err)
		}
		synctest.Wait()
		want := "first half, second half\nother\nother\nother\n"
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("output differs (-want +got):\n%s", diff)
		}
		_ = w.Close()
	})
}

// Lines that are ready while another is written go out in one write, in order,
// and a long piece is not copied into the buffer.
func TestWriterJoinsWhatIsReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		sizes := &sizes{to: w}
		f := NewFrames(FramesConfig{Out: sizes})
		text := strings.Repeat("y", 300_000)
		want := "first\n"
		for i, s := range []string{"first", "2", "3", text, "5"} {
			if f.out.push(bare(s)) {
				go f.out.drain()
			}
			if i == 0 {
				synctest.Wait() // the first is being written
			} else {
				want += s + "\n"
			}
		}
		var got bytes.Buffer
		for got.Len() < len(want) {
			b := make([]byte, 1<<20)
			n, err := r.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			got.Write(b[:n])
		}
		synctest.Wait()
		if got.String() != want {
			t.Error("the output is not the lines in their order")
		}
		if diff := cmp.Diff([]int{6, chunk, 3 * chunk, 300_000 + 7 - 4*chunk}, sizes.writes); diff != "" {
			t.Errorf("sizes of the writes differ (-want +got):\n%s", diff)
		}
	})
}

type sizes struct {
	to     io.Writer
	writes []int
}

func (s *sizes) Write(p []byte) (int, error) {
	s.writes = append(s.writes, len(p))
	return s.to.Write(p)
}

// bare is a line that wants nothing but to be written.
type bare string

func (b bare) put(o *output) { o.addString(string(b)); o.addString("\n") }

func (bare) written(error) {}

// FuzzFrames holds the reader against what splitting the whole text gives, and
// passing against the text itself.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("a\r\n\nb"), 10, 3)
	f.Add([]byte("{\"id\":1}\n0123456789abcdef\n{}"), 12, 1)
	f.Add([]byte(" \n\r\r\n\x00\xff\n"), 2, 2)
	f.Fuzz(func(t *testing.T, in []byte, limit, step int) {
		limit, step = 1+abs(limit)%64, 1+abs(step)%64
		var want []string
		for line := range bytes.Lines(in) {
			line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
			text := string(bytes.Trim(line, " \t\r\n"))
			switch {
			case len(line) > limit:
				want = append(want, "!")
			case text != "":
				want = append(want, text)
			}
		}
		got := readAll(t, NewFrames(FramesConfig{In: &steps{in, step}, MaxLine: limit}))
		for i, g := range got {
			if strings.HasPrefix(g, "! a line of ") {
				got[i] = "!"
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("frames differ (-want +got):\n%s", diff)
		}

		var out bytes.Buffer
		from, to := NewFrames(FramesConfig{In: &steps{in, step}}), NewFrames(FramesConfig{Out: &out})
		for {
			look, err := from.Look(limit)
			if err != nil {
				break
			}
			if i := bytes.IndexByte(look.Head, '\n'); i >= 0 && i != len(look.Head)-1 {
				t.Fatalf("a look shows more than one line: %q", look.Head)
			}
			if err := from.Pass(to); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(in, out.Bytes()) {
			t.Errorf("passed %q, came out %q", in, out.Bytes())
		}
	})
}

// steps gives so many bytes a read.
type steps struct {
	left []byte
	n    int
}

func (s *steps) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(s.n, len(p))], s.left)
	s.left = s.left[n:]
	return n, nil
}

func abs(n int) int { return max(n, -n, 0) }
