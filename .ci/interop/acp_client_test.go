package interop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// acpClient is the client's side of ACP, as far as the tests need it.
type acpClient struct {
	out io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan acpFrame
	// permit answers session/request_permission; it gets the options.
	permit func(options []acpOption) string
}

type acpOption struct {
	ID   string `json:"optionId"`
	Kind string `json:"kind"`
}

type acpFrame struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// newACP reads the agent's frames until its stdout ends.
func newACP(in io.Reader, out io.Writer) *acpClient {
	c := &acpClient{out: out, waiting: map[int]chan acpFrame{}}
	go c.listen(bufio.NewReader(in))
	return c
}

func (c *acpClient) listen(in *bufio.Reader) {
	defer c.hangUp()
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var f acpFrame
		if json.Unmarshal(line, &f) == nil {
			c.take(f)
		}
	}
}

// hangUp ends every call that waits.
func (c *acpClient) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, ch := range c.waiting {
		close(ch)
		delete(c.waiting, id)
	}
}

func (c *acpClient) take(f acpFrame) {
	if f.Method != "" {
		if f.ID != nil {
			c.serve(f)
		}
		return
	}
	var id int
	_ = json.Unmarshal(f.ID, &id)
	c.mu.Lock()
	ch := c.waiting[id]
	delete(c.waiting, id)
	c.mu.Unlock()
	if ch != nil {
		ch <- f
	}
}

// serve answers what the agent asks of the client.
func (c *acpClient) serve(f acpFrame) {
	answer := object{"jsonrpc": "2.0", "id": f.ID, "error": object{"code": -32601, "message": "not offered"}}
	if f.Method == "session/request_permission" && c.permit != nil {
		var p struct{ Options []acpOption }
		_ = json.Unmarshal(f.Params, &p)
		delete(answer, "error")
		answer["result"] = object{"outcome": object{"outcome": "selected", "optionId": c.permit(p.Options)}}
	}
	c.send(answer)
}

func (c *acpClient) send(v any) {
	data, _ := json.Marshal(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = c.out.Write(append(data, '\n'))
}

// start sends a request and gives the channel of its answer.
func (c *acpClient) start(method string, params any) <-chan acpFrame {
	c.mu.Lock()
	c.last++
	id, ch := c.last, make(chan acpFrame, 1)
	c.waiting[id] = ch
	c.mu.Unlock()
	c.send(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return ch
}

func (c *acpClient) call(method string, params, result any) error {
	return wait(<-c.start(method, params), method, result)
}

func wait(f acpFrame, method string, result any) error {
	switch {
	case f.Error != nil:
		return fmt.Errorf("%s: %s", method, f.Error)
	case f.Result == nil:
		return fmt.Errorf("%s: the agent hung up", method)
	case result == nil:
		return nil
	}
	return json.Unmarshal(f.Result, result)
}

// notify sends a notification.
func (c *acpClient) notify(method string, params any) {
	c.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}
