package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

func (p *program) kernelCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use: "kernel", GroupID: groupRun, Args: cobra.NoArgs,
		Short: p.say("用 HTTP 提供内嵌内核", "the local kernel over HTTP"),
		Long: p.exits(p.say(
			"在回环地址上提供一个笔记文件夹，控制台页面在同一个地址的 / 上（打印的链接只能用一次）。令牌在状态文件夹的 kernel.token 里（只有你能读）：\n\n  mnote-host kernel --workspace ~/notes\n  MNOTE_KERNEL_TOKEN_FILE=~/.mnote/host/kernel.token mnote-host mcp --kernel http://127.0.0.1:7331",
			"Serves one folder of notes on loopback, with the console page at / of the same address (the printed link works once). The bearer token is in kernel.token of the state folder, readable by you alone:\n\n  mnote-host kernel --workspace ~/notes\n  MNOTE_KERNEL_TOKEN_FILE=~/.mnote/host/kernel.token mnote-host mcp --kernel http://127.0.0.1:7331")),
		RunE: func(c *cobra.Command, _ []string) error { return p.serveKernel(c.Context(), listen) },
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:7331", p.say("监听的本机地址", "loopback address to listen on"))
	return c
}

// serveKernel serves the workspace until it is told to end. It is no agent's
// child, so it may outlive whoever started it.
func (p *program) serveKernel(ctx context.Context, listen string) error {
	folder := p.values.folder()
	if folder == "" {
		return fmt.Errorf("%w: %s", errUsage, p.say("要用 --workspace 指明笔记文件夹", "name the folder of notes with --workspace"))
	}
	listener, err := p.listen(listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := p.apart(folder); err != nil {
		return err
	}
	p.shield()
	p.tellNewState()
	if p.localToken, err = keptToken(p.values.get("state")); err != nil {
		return err
	}
	p.values.byName["workspace"] = value{folder, "flag"}
	p.values.byName["kernel"], p.values.aside = value{}, nil // we are the kernel
	w, err := p.reach()
	if err != nil {
		return err
	}
	defer w.close()
	ctx, stop := stdio.Life{Orphan: true}.Begin(ctx)
	defer stop()
	p.printf("%s\n", p.say("内核在 http://%s（工作区 %s，%s）", "kernel at http://%s (workspace %s, %s)", listener.Addr(), w.local.WorkspaceID(), w.local.Root()))
	page := p.page(w, p.localToken)
	p.showLink(page.Link("http://" + listener.Addr().String()))
	return serve(ctx, listener, beside(w.local.Through(w.door(false, func() string { return handHTTP })), page), page.Close)
}

// listen opens a loopback address. HTTP without TLS carries the token and the
// notes for all to read, so no other is opened, not for an instant.
func (p *program) listen(address string) (net.Listener, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: listen on %s: %w", errUsage, address, err)
	}
	if !at.IP.IsLoopback() { // no host at all is every address of the machine
		port := at.Port
		if port == 0 { // any free one, which nobody can name beforehand
			port = 7331
		}
		return nil, fmt.Errorf("%w: %s", errUsage, p.say(
			"%[1]s 不是回环地址：这里说的是没有加密的 HTTP，同一网络上的任何人都能读到令牌和笔记。请用 127.0.0.1:%[2]d；从别的机器用 ssh -L %[2]d:127.0.0.1:%[2]d 过来",
			"%[1]s is no loopback address: this is plain HTTP, and all on the network could read the token and the notes. Use 127.0.0.1:%[2]d; from another machine come through ssh -L %[2]d:127.0.0.1:%[2]d",
			address, port))
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	return l, nil
}

// beside puts the console page next to the kernel's API.
func beside(api, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/", api)
	mux.Handle("/", page)
	return mux
}

// serve answers until ctx ends, then lets the requests that run finish; ending
// hears of the end first.
func serve(ctx context.Context, l net.Listener, h http.Handler, ending func()) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	server.RegisterOnShutdown(ending)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve the kernel: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return server.Close()
	}
	return nil
}

// keptToken reads the kernel's token, or makes one at the first start. Another
// process may be making one too: whoever links first wins.
func keptToken(state string) (string, error) {
	if state == "" {
		return "", errors.New("there is no state folder to keep the kernel's token in: set --state or HOME")
	}
	file := filepath.Join(state, "kernel.token")
	if data, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(data)) != "" {
		return strings.TrimSpace(string(data)), nil
	}
	if err := os.MkdirAll(state, 0o700); err != nil {
		return "", fmt.Errorf("make the state folder: %w", err)
	}
	made, err := os.CreateTemp(state, ".kernel.token-*")
	if err != nil {
		return "", fmt.Errorf("keep the kernel's token: %w", err)
	}
	defer os.Remove(made.Name())
	token := rand.Text()
	if _, err := made.WriteString(token + "\n"); err != nil {
		return "", errors.Join(err, made.Close())
	}
	if err := made.Close(); err != nil {
		return "", err
	}
	if err := os.Link(made.Name(), file); errors.Is(err, fs.ErrExist) {
		data, err := os.ReadFile(file)
		return strings.TrimSpace(string(data)), err
	} else if err != nil {
		return "", fmt.Errorf("keep the kernel's token: %w", err)
	}
	return token, nil
}
