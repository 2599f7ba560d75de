package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// asked is one round of a fixture that wants input: it asks with a state, and
// gives nil when it has all that it wants.
type asked func(r mcp.CallToolRequest, state string) *server.InputRequestBuilder

func form(message, property, kind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"` + property + `":{"type":"` + kind + `"}},"required":["` + property + `"]}`)}
}

func prompt(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}}
}

// entered gives one field of a form that came back.
func entered(r mcp.InputResponses, id, property string) (string, bool) {
	answer := server.ElicitationResponse(r, id)
	if answer == nil {
		return "", false
	}
	fields, _ := answer.Content.(map[string]any)
	s, ok := fields[property]
	return fmt.Sprint(s), ok
}

// errState ends a call whose state is not ours.
var errState = errors.New("the state was changed")

// sealed and opened keep a client from changing a state (M9).
func (x *fixtures) sealed(state string) string { return state + "." + x.mac(state) }

func (x *fixtures) opened(token string) (string, error) {
	state, mac, _ := strings.Cut(token, ".")
	if token == "" || hmac.Equal([]byte(mac), []byte(x.mac(state))) {
		return state, nil
	}
	return "", errState
}

func (x *fixtures) mac(state string) string {
	m := hmac.New(sha256.New, []byte("a key of this test program"))
	m.Write([]byte(state))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// rounds makes a tool that goes on asking until it has what it wants.
func (x *fixtures) rounds(name string, ask asked, done func(r mcp.CallToolRequest) string) server.ServerTool {
	return fixtureTool(name, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		state, err := x.opened(r.Params.RequestState)
		if err != nil {
			servedOf(ctx).fault = stdio.ParamsFault(err.Error())
			return nil, err
		}
		if b := ask(r, state); b != nil {
			return b.ToolResult(), nil
		}
		return mcp.NewToolResultText(done(r)), nil
	})
}

// inputTools end a call with a question, in the modern way.
func (x *fixtures) inputTools() []server.ServerTool {
	name := func(r mcp.CallToolRequest) string {
		s, _ := entered(r.Params.InputResponses, "user_name", "name")
		return "Hello, " + s + "!"
	}
	askName := func(r mcp.CallToolRequest, _ string) *server.InputRequestBuilder {
		if _, ok := entered(r.Params.InputResponses, "user_name", "name"); ok {
			return nil
		}
		return server.NewInputRequestBuilder("").Elicit("user_name", form("What is your name?", "name", "string"))
	}
	confirm := func(r mcp.CallToolRequest, state string) *server.InputRequestBuilder {
		if _, ok := entered(r.Params.InputResponses, "confirm", "ok"); ok && state == "confirm" {
			return nil
		}
		return server.NewInputRequestBuilder(x.sealed("confirm")).Elicit("confirm", form("Please confirm", "ok", "boolean"))
	}
	stateOK := func(mcp.CallToolRequest) string { return "state-ok" }
	return []server.ServerTool{
		x.rounds("test_input_required_result_elicitation", askName, name),
		x.rounds("test_streaming_elicitation", askName, name),
		x.rounds("test_input_required_result_request_state", confirm, stateOK),
		x.rounds("test_input_required_result_tampered_state", confirm, stateOK),
		x.rounds("test_input_required_result_sampling", func(r mcp.CallToolRequest, _ string) *server.InputRequestBuilder {
			if server.SamplingResponse(r.Params.InputResponses, "capital_question") != nil {
				return nil
			}
			return server.NewInputRequestBuilder("").Sample("capital_question", prompt("What is the capital of France?", 100))
		}, func(r mcp.CallToolRequest) string {
			answer, _ := json.Marshal(server.SamplingResponse(r.Params.InputResponses, "capital_question").Content)
			return string(answer)
		}),
		x.rounds("test_input_required_result_list_roots", func(r mcp.CallToolRequest, _ string) *server.InputRequestBuilder {
			if server.RootsResponse(r.Params.InputResponses, "client_roots") != nil {
				return nil
			}
			return server.NewInputRequestBuilder("").Roots("client_roots")
		}, func(r mcp.CallToolRequest) string {
			roots, _ := json.Marshal(server.RootsResponse(r.Params.InputResponses, "client_roots").Roots)
			return string(roots)
		}),
		x.rounds("test_input_required_result_multiple_inputs", func(r mcp.CallToolRequest, _ string) *server.InputRequestBuilder {
			if _, ok := entered(r.Params.InputResponses, "user_name", "name"); ok && len(r.Params.InputResponses) >= 3 {
				return nil
			}
			return server.NewInputRequestBuilder(x.sealed("three")).Elicit("user_name", form("What is your name?", "name", "string")).
				Sample("greeting", prompt("Generate a greeting", 50)).Roots("client_roots")
		}, name),
		x.rounds("test_input_required_result_multi_round", x.twoSteps, func(r mcp.CallToolRequest) string {
			color, _ := entered(r.Params.InputResponses, "step2", "color")
			return "Your color is " + color
		}),
		fixtureTool("test_input_required_result_capabilities", x.asksWhatCanBeAsked),
	}
}

// twoSteps asks for a name and then for a color; the state says which is next.
func (x *fixtures) twoSteps(r mcp.CallToolRequest, state string) *server.InputRequestBuilder {
	if _, ok := entered(r.Params.InputResponses, "step2", "color"); ok && state == "step2" {
		return nil
	}
	if _, ok := entered(r.Params.InputResponses, "step1", "name"); ok && state == "step1" {
		return server.NewInputRequestBuilder(x.sealed("step2")).Elicit("step2", form("Step 2: What is your favorite color?", "color", "string"))
	}
	return server.NewInputRequestBuilder(x.sealed("step1")).Elicit("step1", form("Step 1: What is your name?", "name", "string"))
}

// asksWhatCanBeAsked asks only in the ways that the client declares (M8).
func (x *fixtures) asksWhatCanBeAsked(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(r.Params.InputResponses) > 0 {
		return mcp.NewToolResultText("answered"), nil
	}
	b := server.NewInputRequestBuilder("")
	if x.declares(servedOf(ctx).request, "sampling") {
		b.Sample("greeting", prompt("Generate a greeting", 50))
	}
	if x.declares(servedOf(ctx).request, "elicitation") {
		b.Elicit("user_name", form("What is your name?", "name", "string"))
	}
	return b.ToolResult(), nil
}
