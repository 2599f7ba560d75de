package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// wishes are the kinds of change a modern client asks to hear of; what it leaves
// out it is never told (M11).
type wishes struct {
	Tools     bool `json:"toolsListChanged,omitempty"`
	Prompts   bool `json:"promptsListChanged,omitempty"`
	Resources bool `json:"resourcesListChanged,omitempty"`
}

// subscription is one subscriptions/listen that is open. id is the request's,
// raw: every message of the stream carries it.
type subscription struct {
	id     json.RawMessage
	wishes wishes
}

// tagged is the params of a message on a stream.
type tagged struct {
	Notifications *wishes `json:"notifications,omitempty"`
	Meta          tag     `json:"_meta"`
}

type tag struct {
	ID json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
}

// listen serves subscriptions/listen until the client cancels it, which is never
// answered (M12), or the connection ends, which is.
func (f *Face) listen(ctx context.Context, q *request) stdio.Reply {
	var want wishes
	if !isObject(q.params.Notifications) || json.Unmarshal(q.params.Notifications, &want) != nil {
		return stdio.Reply{Fault: stdio.ParamsFault("notifications must be an object of booleans")}
	}
	want.Prompts = want.Prompts && f.client.Offers.Prompts
	want.Resources = want.Resources && f.client.Offers.Resources
	s := subscription{id: q.ID, wishes: want}
	// The acknowledgement goes first, so nothing of the stream may be told before
	// it is written.
	ack := tagged{Notifications: &want, Meta: tag{q.ID}}
	if err := f.peer.Notify(ctx, mcp.MethodNotificationSubscriptionsAcknowledged, ack); err != nil {
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
	if want != (wishes{}) {
		f.peer.KeepOpen(ctx)
		f.announce.add(s)
		defer f.announce.remove(s)
		select {
		case <-ctx.Done():
		case <-f.peer.Closing():
		}
	}
	return stdio.Reply{Result: json.RawMessage(`{"resultType":"complete","_meta":{"` + mcp.MetaKeySubscriptionID + `":` + string(q.ID) +
		`,"` + mcp.MetaKeyServerInfo + `":` + f.serverInfo + `}}`)}
}
