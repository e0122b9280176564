package peer

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	"isochron/txn"
)

// AnswerMax bounds a query and its reply.
const AnswerMax = FrameMax - 1

// askWait bounds the reading of a query and the writing of its reply.
const askWait = 10 * time.Second

// Ask sends one query to a node, with the credentials of a node, and returns the reply.
func Ask(ctx context.Context, c *Credentials, to txn.NodeID, address string, question []byte) ([]byte, error) {
	conn, _, err := dial(ctx, c, address, hello{Version: version, Cluster: c.cluster, From: c.node, To: to, Question: true})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	undo := context.AfterFunc(ctx, func() { _ = conn.NetConn().SetDeadline(time.Unix(1, 0)) })
	defer undo()
	if _, err := conn.Write(appendFrame(nil, kindQuestion, question)); err != nil {
		return nil, err
	}
	k, content, err := readFrame(conn, AnswerMax)
	if err != nil {
		return nil, err
	}
	if k != kindAnswer {
		return nil, fmt.Errorf("node %d replies to a query with a frame of kind %d", to, k)
	}
	return content, nil
}

// answer serves one query.
func (t *Transport) answer(conn *tls.Conn) {
	if err := conn.SetDeadline(time.Now().Add(askWait)); err != nil {
		return
	}
	k, question, err := readFrame(conn, AnswerMax)
	if err != nil || k != kindQuestion || t.cfg.Answer == nil {
		return // the sender has gone, or this node serves no queries
	}
	answer := appendFrame(nil, kindAnswer, t.cfg.Answer(question)) // may take long
	if conn.SetDeadline(time.Now().Add(askWait)) == nil {
		_, _ = conn.Write(answer)
	}
}
