package clients

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// Client is what we know of one program that can start us.
type Client struct {
	// Name is what --client takes; Title is for people.
	Name  string `toml:"name"`
	Title string `toml:"title"`
	// AgentID is the id by which a manifest's packs know the program; "" is mcp.
	AgentID string `toml:"agent_id"`
	// ClientInfo lists the names that the program gives itself in a handshake;
	// empty when it cannot be recognised by one.
	ClientInfo []string `toml:"client_info"`
	// ToolName is how the program shows a tool to its model, with {server} and
	// {tool} in it.
	ToolName string  `toml:"tool_name"`
	Limits   Limits  `toml:"limits"`
	Dialect  Dialect `toml:"dialect"`
	Offers   Offers  `toml:"offers"`
	Results  Results `toml:"results"`
	ACP      ACP     `toml:"acp"`
	Habits   Habits  `toml:"habits"`
}

// Limits are where the program stops, drops or cuts; 0 is no known limit.
type Limits struct {
	// ToolName is the longest name in bytes, ToolName's prefix included.
	ToolName int `toml:"tool_name"`
	// NameForm is the pattern of a name, ToolName's prefix included; empty is any.
	NameForm string `toml:"name_form"`
	// Tools is how many tools it lists to a model.
	Tools int `toml:"tools"`
	// Description is how many characters of a tool's description a model sees
	// before it asks for more.
	Description int `toml:"description"`
	// Result is the longest result in bytes that a model sees whole.
	Result int `toml:"result"`
	// Line is the longest line in bytes that it reads.
	Line int `toml:"line"`
}

// Offers is what of MCP is of use to the program.
type Offers struct {
	Resources bool `toml:"resources"`
	Prompts   bool `toml:"prompts"`
	// OutputSchema is whether an outputSchema may be advertised when asked for.
	OutputSchema bool `toml:"output_schema"`
}

// ACP is how the program behaves as an ACP agent; its zero value is one that we
// know nothing of.
type ACP struct {
	// Commands are the names that its program goes by on a command line.
	Commands []string `toml:"commands"`
	// Isolates says that each of its sessions starts MCP servers of its own, seen
	// in a run; others may hand one session's servers to another.
	Isolates bool `toml:"isolates"`
	// Silent says what may be wrong when it does not start a server that it was
	// given.
	Silent string `toml:"silent"`
}

// Results is how a result is written for the program.
type Results struct {
	// RefusalIsError marks an expected refusal (denied, conflict, bad arguments)
	// as isError; a failure of the host or the kernel always is one.
	RefusalIsError bool `toml:"refusal_is_error"`
	// ShortErrors puts only code, message and details into an error's text.
	ShortErrors bool `toml:"short_errors"`
	// Structured repeats the text's JSON as structuredContent.
	Structured bool `toml:"structured"`
	// Avoid lists phrases that make the program misread an error's text.
	Avoid []string `toml:"avoid"`
}

//go:embed data/*.toml
var data embed.FS

// suffix ends the name of a data file, which is otherwise its client's.
const suffix = ".toml"

// texts are the data files by client, unread: a host that starts for a client
// reads one file, and no more before its first answer.
var texts = sync.OnceValue(func() map[string][]byte {
	files, err := data.ReadDir("data")
	if err != nil {
		panic(fmt.Sprintf("embedded client data: %v", err))
	}
	out := make(map[string][]byte, len(files))
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			panic(fmt.Sprintf("embedded client data: %v", err))
		}
		out[strings.TrimSuffix(f.Name(), suffix)] = text
	}
	return out
})

// read reads the data of one client that there is.
func read(name string) Client {
	c, err := parse(texts()[name])
	if err != nil {
		panic(fmt.Sprintf("embedded client data %s: %v", name, err))
	}
	return c
}

// parse reads one data file; a key that is not a field is an error, so that a
// misspelt one is found by the tests and not by a user.
func parse(text []byte) (Client, error) {
	var c Client
	d := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	return c, d.Decode(&c)
}

// Generic is any client that we know nothing of.
func Generic() Client { return read("generic") }

// Named gives the client that --client names.
func Named(name string) (Client, error) {
	if _, ok := texts()[name]; ok {
		return read(name), nil
	}
	return Generic(), fmt.Errorf("unknown client %q: it is one of %s", name, strings.Join(Names(), ", "))
}

// Names lists the clients by name.
func Names() []string {
	return slices.Sorted(maps.Keys(texts()))
}

// Recognise finds the client that gives itself this name in a handshake. The
// name proves nothing, so what it leads to may change how a result is written
// and nothing else: neither a list, nor an offer, nor a right.
func Recognise(clientInfo string) (Client, bool) {
	for _, name := range Names() {
		if !bytes.Contains(texts()[name], []byte(strconv.Quote(clientInfo))) {
			continue // unread: initialize is a client's first request
		}
		if c := read(name); slices.Contains(c.ClientInfo, clientInfo) {
			return c, true
		}
	}
	return Client{}, false
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
	for _, each := range Names() {
		if c := read(each); slices.Contains(c.ACP.Commands, name) {
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
