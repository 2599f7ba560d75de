package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Client is what we know of one program that can start us.
type Client struct {
	// Name is what --client takes; Title is for people.
	Name  string
	Title string
	// AgentID is the id by which a manifest's packs know the program; "" is mcp.
	AgentID string
	// ClientInfo lists the names that the program gives itself in a handshake;
	// empty when it cannot be recognised by one.
	ClientInfo []string
	// ToolName is how the program shows a tool to its model, with {server} and
	// {tool} in it.
	ToolName string
	Limits   Limits
	Dialect  Dialect
	Offers   Offers
	Results  Results
	ACP      ACP
	Habits   Habits
}

// Limits are where the program stops, drops or cuts; 0 is no known limit.
type Limits struct {
	// ToolName is the longest name in bytes, ToolName's prefix included.
	ToolName int
	// NameForm is the pattern of a name, ToolName's prefix included; empty is any.
	NameForm string
	// Tools is how many tools it lists to a model.
	Tools int
	// Description is how many characters of a tool's description a model sees
	// before it asks for more.
	Description int
	// Result is the longest result in bytes that a model sees whole.
	Result int
	// Line is the longest line in bytes that it reads.
	Line int
}

// Offers is what of MCP is of use to the program.
type Offers struct {
	Resources bool
	Prompts   bool
	// OutputSchema is whether an outputSchema may be advertised when asked for.
	OutputSchema bool
}

// ACP is how the program behaves as an ACP agent; its zero value is one that we
// know nothing of.
type ACP struct {
	// Commands are the names that its program goes by on a command line.
	Commands []string
	// Isolates says that each of its sessions starts MCP servers of its own, seen
	// in a run; others may hand one session's servers to another.
	Isolates bool
	// Silent says what may be wrong when it does not start a server that it was
	// given.
	Silent string
}

// Results is how a result is written for the program.
type Results struct {
	// RefusalIsError marks an expected refusal (denied, conflict, bad arguments)
	// as isError; a failure of the host or the kernel always is one.
	RefusalIsError bool
	// ShortErrors puts only code, message and details into an error's text.
	ShortErrors bool
	// Structured repeats the text's JSON as structuredContent.
	Structured bool
	// Avoid lists phrases that make the program misread an error's text.
	Avoid []string
}

// known lists the clients by name, in order; the data of one is made when it is
// asked for. A new client is a file with its data and one row here.
func known() []entry {
	return []entry{
		{"claude-code", claudeCode}, {"cursor", cursor}, {"gemini", gemini}, {"generic", generic},
		{"hermes", hermes}, {"hermes-plugin", hermesPlugin}, {"reasonix", reasonix},
	}
}

type entry struct {
	name string
	data func() Client
}

// Generic is any client that we know nothing of.
func Generic() Client { return generic() }

// Named gives the client that --client names.
func Named(name string) (Client, error) {
	for _, e := range known() {
		if e.name == name {
			return e.data(), nil
		}
	}
	return Generic(), fmt.Errorf("unknown client %q: it is one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the clients by name.
func Names() (names []string) {
	for _, e := range known() {
		names = append(names, e.name)
	}
	return names
}

// Recognise finds the client that gives itself this name in a handshake. The
// name proves nothing, so what it leads to may change how a result is written
// and nothing else: neither a list, nor an offer, nor a right.
func Recognise(clientInfo string) (Client, bool) {
	return find(func(c Client) bool { return slices.Contains(c.ClientInfo, clientInfo) })
}

// Agent finds the client whose program a command line starts, by the name that
// its user typed: what a program says of itself decides no right.
func Agent(argv []string) (Client, bool) {
	if len(argv) == 0 {
		return Client{}, false
	}
	name := argv[0][strings.LastIndexAny(argv[0], `/\`)+1:]
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(strings.ToLower(name), ext)
	}
	return find(func(c Client) bool { return slices.Contains(c.ACP.Commands, name) })
}

func find(is func(Client) bool) (Client, bool) {
	for _, e := range known() {
		if c := e.data(); is(c) {
			return c, true
		}
	}
	return Client{}, false
}

// Shows gives a tool's name as the client's model sees it.
func (c Client) Shows(server, wireName string) string {
	return strings.NewReplacer("{server}", server, "{tool}", wireName).Replace(c.ToolName)
}

// Calm rewrites the phrases of Avoid in an error's text, so that no program
// takes the answer for a broken connection and sends a write again.
func (r Results) Calm(text string) string {
	for _, phrase := range r.Avoid {
		text = replaceFold(text, phrase, reworded(phrase))
	}
	return text
}

// reworded keeps a phrase readable and makes it match no longer.
func reworded(phrase string) string {
	if name, ok := strings.CutSuffix(phrase, "="); ok {
		return name + ": "
	}
	if strings.Contains(phrase, " ") {
		return strings.ReplaceAll(phrase, " ", "-")
	}
	return phrase[:len(phrase)/2] + "-" + phrase[len(phrase)/2:]
}

// replaceFold replaces an ASCII phrase in whatever case it stands.
func replaceFold(text, phrase, with string) string {
	var out strings.Builder
	for {
		at := indexFold(text, phrase)
		if at < 0 {
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:at])
		out.WriteString(with)
		text = text[at+len(phrase):]
	}
}

func indexFold(text, phrase string) int {
	for at := 0; at+len(phrase) <= len(text); at++ {
		if strings.EqualFold(text[at:at+len(phrase)], phrase) {
			return at
		}
	}
	return -1
}
