package plugin

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// confirm is step 7: a write that needs a person's yes has it, or gets it now,
// or does not happen; one that is held to a plan still does what that promised.
func (s *Session) confirm(ctx context.Context, c callFresh) (callAgreed, error) {
	agreed, err := s.agree(ctx, c)
	if err == nil {
		err = s.prove(ctx, agreed.callFresh)
	}
	if agreed.yes != "" && errors.Is(err, conflicts) { // what a person agreed to cannot happen any more
		err = cmp.Or(s.host.ledger.Void(ctx, agreed.yes), err)
	}
	if err != nil && agreed.agreed != "" {
		err = spoken{err, agreed.agreed}
	}
	return agreed, err
}

// spoken ends a call that a person said yes or no to; by says how.
type spoken struct {
	error
	by string
}

func (s spoken) Unwrap() error { return s.error }

// conflicts is compared by its code alone.
var conflicts = tools.Errorf(tools.CodeConflict, tools.Text{})

// agree finds a person's yes. What a person decided outside the call counts
// first, so that nobody is asked twice. Who is asked is shown what a dry run says
// that the write would do; one whose dry run is refused needs no yes. While a
// person thinks, switches and grants may change, so both are asked again behind a
// yes.
func (s *Session) agree(ctx context.Context, c callFresh) (callAgreed, error) {
	if !s.asks(c.callAllowed) {
		return callAgreed{c}, nil
	}
	switch yes, err := s.host.ledger.Decided(ctx, s.write(c.trail)); {
	case err != nil:
		c.agreed = yes.By
		return callAgreed{c}, err
	case yes.ID != "":
		return s.onYes(ctx, c, yes)
	}
	env, err := s.tryShown(ctx, c)
	if err == nil {
		err = s.stillPromises(c, env)
	}
	if err != nil {
		return callAgreed{}, err
	}
	answer := s.ask(ctx, c, env)
	switch {
	case ctx.Err() != nil:
		return callAgreed{}, gaveUp(ctx)
	case answer == Yes:
		return s.onShown(ctx, c, env)
	case answer == No:
		c.agreed = bySpeaker(c.meta.Confirm)
		return callAgreed{c}, declined()
	case answer == Asked:
		return callAgreed{}, unrecorded{needsYes()}
	}
	return callAgreed{}, s.leaveOpen(ctx, c, env, answer)
}

// asks reports whether the call needs a person's yes.
func (s *Session) asks(c callAllowed) bool {
	if !c.holdsKey() {
		return false
	}
	if c.schema.Confirms(c.args) {
		return true
	}
	switch s.mode() {
	case ConfirmWrites:
		return true
	case ConfirmDestructive:
		return c.tool.Destructive()
	case ConfirmOutside:
		focus := s.focus(*c.meta)
		return focus == "" || c.call.Document() != focus
	}
	return false
}

// mode is the session's setting. A word that is none of the modes asks for
// every write: it was meant to restrain.
func (s *Session) mode() ConfirmMode {
	switch m := s.cfg.Confirm; {
	case m == "" && s.cfg.Grant != nil && s.cfg.Grant.Shared:
		return ConfirmWrites
	case m == "", m == ConfirmNever:
		return ConfirmNever
	case m == ConfirmDestructive, m == ConfirmOutside:
		return m
	}
	return ConfirmWrites
}

// ask waits for a person, but no longer than a person gets.
func (s *Session) ask(ctx context.Context, c callFresh, dry tools.Envelope) Answer {
	if c.meta.Confirm == nil {
		return CannotAsk
	}
	ctx, cancel := context.WithTimeout(ctx, s.host.limits.Answer)
	defer cancel()
	answer := c.meta.Confirm.Confirm(ctx, s.question(c, dry.Result))
	if ctx.Err() != nil && (answer == No || answer == CannotAsk) { // nobody said no: the time was over
		return Unanswered
	}
	return answer
}

// again runs gate and authorise once more, as the switches and the grant stand
// now.
func (s *Session) again(ctx context.Context, c callFresh) (callFresh, error) {
	found, err := s.look(c.callArrived)
	if err != nil {
		return c, err
	}
	open, err := s.gate(ctx, found)
	if err != nil {
		return c, err
	}
	c.snapshot, c.tool = open.snapshot, open.tool
	c.call.Kind, c.call.Scopes = open.call.Kind, open.call.Scopes
	return c, s.permit(c.callBound)
}

func (s *Session) question(c callFresh, dry json.RawMessage) Question {
	revision, _ := c.args.ExpectedRevision()
	return Question{
		SessionID:  c.call.SessionID,
		Tool:       *c.tool,
		DocumentID: c.call.Document(),
		Title:      c.call.Document(),
		ArgsHash:   c.hash,
		Revision:   revision,
		Args:       c.call.Args,
		Shown:      hex.EncodeToString(promiseOf(dry)),
		Text:       questionText(c, preview(c, dry)).In(s.Lang()),
	}
}

// mostAsked is how many characters of a change a question shows.
const mostAsked = 1500

// questionText says what would run where, and what that would change: nobody can
// say yes to a write that they do not see.
func questionText(c callFresh, preview json.RawMessage) tools.Text {
	change, _ := ChangeOf(preview)
	where := tools.Text{}
	if doc := cmp.Or(change.Document, c.call.Document()); doc != "" {
		where = tools.Text{ZH: fmt.Sprintf("在页面「%s」上", Visible(doc)), EN: fmt.Sprintf(" on the page %q", Visible(doc))}
	}
	shown := change.brief(mostAsked)
	return tools.Text{
		ZH: fmt.Sprintf("允许 AI %s运行「%s」（%s）吗？\n\n%s", where.ZH, cmp.Or(c.tool.Title, string(c.tool.Name)), c.tool.Name, shown.ZH),
		EN: fmt.Sprintf("Let the AI run %s%s?\n\n%s", c.tool.Name, where.EN, shown.EN),
	}
}

// excerpt gives the first characters of a text, and whether there are more.
func excerpt(s string, most int) (string, bool) {
	if n := utf8.RuneCountInString(s); n <= most {
		return s, false
	}
	return string([]rune(s)[:most]) + "…", true
}

func size(bytes int) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}

// needsYes is the end of a first leg: the face puts the question in its place.
func needsYes() *tools.Error {
	return tools.Errorf(tools.CodeConfirmationRequired, tools.Text{
		ZH: "这次写入要先得到人的同意；已向客户端提出询问",
		EN: "a person must agree to this write; the client was told to ask",
	})
}

func declined() *tools.Error {
	return tools.Errorf(tools.CodeConfirmationDeclined, tools.Text{
		ZH: "人没有同意这次写入；没有写入任何内容，请不要重试",
		EN: "a person was asked and said no; nothing was written, do not try again",
	})
}

// gaveUp is the refusal of a call whose caller has gone before anything was
// sent.
func gaveUp(ctx context.Context) *tools.Error {
	if context.Cause(ctx) == context.DeadlineExceeded {
		return tools.Errorf(tools.CodeTimeout, tools.Text{
			ZH: "调用方的时限已到；没有发出任何请求",
			EN: "the caller's time was over before anything was sent",
		})
	}
	return tools.Errorf(tools.CodeCancelled, tools.Text{
		ZH: "调用已被取消；没有发出任何请求",
		EN: "the call was cancelled before anything was sent",
	})
}
