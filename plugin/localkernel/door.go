package localkernel

import (
	"context"
	"net/http"
)

// Door is a way into the kernel that its own process made. Nothing that comes
// with a request opens one: over HTTP, with or without the token, there is only
// the way that the server was given.
type Door struct {
	// Person says that the person's own hand is behind it: the command line or the
	// console page. Their undo is not bound by the switches.
	Person bool
	// Turned hears of every switch that was turned through it, when that is
	// durable and before it is answered; nil hears nothing.
	Turned func(ctx context.Context, t Turn)
}

// Turn is a switch that was turned.
type Turn struct {
	// What is the pack's id or the tool's name; "" is every switch of every
	// profile, back to what the manifest says.
	What string
	On   bool
	// Profile is the one that a tool's switch holds for; "" is all of them.
	Profile string
}

// Through gives the kernel behind a door.
func (k *Kernel) Through(d Door) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), doorKey{}, d)))
	})
}

type doorKey struct{}

func doorOf(ctx context.Context) Door {
	d, _ := ctx.Value(doorKey{}).(Door)
	return d
}

// heard tells the door of a turn.
func (d Door) heard(ctx context.Context, t Turn) {
	if d.Turned != nil {
		d.Turned(ctx, t)
	}
}
