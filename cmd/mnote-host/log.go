package main

import (
	"fmt"
	"io"
	"os"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mnote-dev/mnote-host/tools"
)

// settle finds the settings' values and makes the loggers, the only ones of the
// process. What is wrong with a value is a warning there.
func (p *program) settle(c *cobra.Command) {
	typed := map[string]string{}
	c.Flags().Visit(func(f *pflag.Flag) { typed[f.Name] = f.Value.String() })
	p.values = resolve(typed, p.environ)
	if l := p.values.get("lang"); l != "" {
		p.lang = tools.Lang(l)
	}
	p.attended = !servesPrograms(c)
	p.openLogs()
	told := p.refusedFor()
	for _, w := range p.values.warnings {
		if w != told || !p.attended {
			p.log.Warn().Msg(w.in(p.lang))
		}
	}
}

// servesPrograms reports whether another program keeps what the command says on
// stderr: one JSON object a line. All other commands speak to a person.
func servesPrograms(c *cobra.Command) bool {
	switch c.Name() {
	case "mcp", "acp", "kernel":
		return true
	}
	return false
}

// refusedFor is the warning that every call's refusal will repeat.
func (p *program) refusedFor() text {
	if why := p.values.narrowing(); why != (text{}) && why != p.values.spoiled[""] {
		return why
	}
	if p.values.get("workspace") == "" && p.values.get("kernel") == "" {
		return p.values.misplaced()
	}
	return text{}
}

// openLogs makes the logger of this program's own words and the one of its
// parts. A person reads sentences and, unless --log says otherwise, nothing of
// what the parts do: the answer on the screen says what came of it.
func (p *program) openLogs() {
	level := p.values.byName["log"]
	whole := !p.attended || level.source != "default"
	switch {
	case whole && !isTerminal(os.Stderr):
		p.log = newLog(p.streams.Err, level.text)
		p.inner = p.log
	case whole:
		p.log = newLog(zerolog.ConsoleWriter{Out: p.streams.Err, NoColor: true, TimeFormat: "15:04:05", FieldsExclude: []string{"pid"}}, level.text)
		p.inner = p.log
	default:
		p.log = zerolog.New(p.sentences()).Level(zerolog.WarnLevel)
		p.inner = p.log.Level(zerolog.ErrorLevel)
	}
}

// sentences writes log lines as the program's other messages are written.
func (p *program) sentences() io.Writer {
	return zerolog.ConsoleWriter{
		Out: p.streams.Err, NoColor: true, PartsOrder: []string{zerolog.MessageFieldName},
		FormatMessage: func(m any) string { return visible(fmt.Sprintf("mnote-host: %v", m)) },
	}
}

func newLog(w io.Writer, level string) zerolog.Logger {
	parsed, err := zerolog.ParseLevel(level)
	if level == "off" || err != nil {
		parsed = zerolog.Disabled
	}
	return zerolog.New(w).Level(parsed).With().Timestamp().Int("pid", os.Getpid()).Logger()
}
