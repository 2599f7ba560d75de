// Command raw is the least that could serve tools on stdio: a loop over lines,
// one HTTP request a call, no checks of any kind. It is the floor.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			DocumentID string `json:"documentId"`
		} `json:"arguments"`
	} `json:"params"`
}

var (
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}}
	write  sync.Mutex
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var calls sync.WaitGroup
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r request
		if json.Unmarshal(line, &r) != nil || r.ID == nil {
			continue
		}
		switch r.Method {
		case "initialize":
			answer(r.ID, []byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`))
		case "tools/list":
			answer(r.ID, tools())
		case "tools/call":
			calls.Go(func() { call(r) })
		}
	}
	calls.Wait()
}

// tools are as many bytes as the host's.
func tools() []byte {
	tool := `{"name":"page_get","description":"` + strings.Repeat("d", 100) + `","inputSchema":{"type":"object","properties":{"documentId":{"type":"string","description":"` + strings.Repeat("d", 200) + `"}}}}`
	return []byte(`{"tools":[` + strings.Repeat(tool+",", 24) + tool + `]}`)
}

func call(r request) {
	body, _ := json.Marshal(map[string]any{"toolName": r.Params.Name, "documentId": r.Params.Arguments.DocumentID, "workspaceId": "ws_1"})
	response, err := client.Post(os.Args[1]+"/api/hermes/tools/mnote/call", "application/json", bytes.NewReader(body))
	if err != nil {
		answer(r.ID, []byte(`{"content":[],"isError":true}`))
		return
	}
	envelope, _ := io.ReadAll(response.Body)
	response.Body.Close()
	text, _ := json.Marshal(string(envelope))
	result := append([]byte(`{"content":[{"type":"text","text":`), text...)
	result = append(append(append(result, `}],"structuredContent":`...), envelope...), '}')
	answer(r.ID, result)
}

func answer(id, result []byte) {
	line := append(append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...), result...)
	write.Lock()
	defer write.Unlock()
	_, _ = os.Stdout.Write(append(line, '}', '\n'))
}
