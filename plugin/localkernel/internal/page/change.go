package page

// Change is one block that differs between two pages. OldID is "" for a new
// block, NewID for one that is gone; both are set where a block was altered or
// moved, or keeps its text and got another ordinal.
type Change struct {
	OldID string `json:"oldId"`
	NewID string `json:"newId"`
	Type  Type   `json:"type"`
}

// Changes compares two pages block by block. A block that only stands somewhere
// else is no change.
func Changes(old, new *Page) []Change {
	return changesFrom(old.blocks(), new.blocks(), align(old, new))
}

// align says for each new block which old one it is, or -1: equal ones from
// both ends, then any equal one between.
func align(old, new *Page) []int {
	was, now := keys(old), keys(new)
	from := make([]int, len(now))
	head := 0
	for head < len(was) && head < len(now) && was[head] == now[head] {
		from[head] = head
		head++
	}
	tail := 0
	for tail < len(was)-head && tail < len(now)-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		from[len(now)-1-tail] = len(was) - 1 - tail
		tail++
	}
	places := map[string][]int{}
	for i := head; i < len(was)-tail; i++ {
		places[was[i]] = append(places[was[i]], i)
	}
	for i := head; i < len(now)-tail; i++ {
		from[i] = -1
		if at := places[now[i]]; len(at) > 0 {
			from[i], places[now[i]] = at[0], at[1:]
		}
	}
	return from
}

// keys gives the blocks' ids without the ordinals of equal ones.
func keys(p *Page) []string {
	blocks := p.blocks()
	out := make([]string, len(blocks))
	for i, b := range blocks {
		out[i] = b.ID[:idLength]
	}
	return out
}

const idLength = len("b_") + 12

// changesFrom tells what differs; from gives each new block's old index or -1.
// New and vanished blocks between the same two neighbours are pairs.
func changesFrom(old, new []Block, from []int) []Change {
	used := make([]bool, len(old))
	for _, i := range from {
		if i >= 0 {
			used[i] = true
		}
	}
	var c collector
	passed := 0 // every old block before it is dealt with
	for k, i := range from {
		if i < 0 {
			c.fresh = append(c.fresh, new[k])
			continue
		}
		if i >= passed {
			c.lose(old[passed:i], used[passed:i])
			passed = i + 1
		}
		c.flush()
		if old[i].ID != new[k].ID {
			c.out = append(c.out, Change{old[i].ID, new[k].ID, new[k].Type})
		}
	}
	c.lose(old[passed:], used[passed:])
	c.flush()
	return c.out
}

// collector gathers the new and the vanished blocks between two that stayed.
type collector struct {
	gone, fresh []Block
	out         []Change
}

func (c *collector) lose(old []Block, used []bool) {
	for i, b := range old {
		if !used[i] {
			c.gone = append(c.gone, b)
		}
	}
}

func (c *collector) flush() {
	for i := range max(len(c.gone), len(c.fresh)) {
		var change Change
		if i < len(c.gone) {
			change.OldID, change.Type = c.gone[i].ID, c.gone[i].Type
		}
		if i < len(c.fresh) {
			change.NewID, change.Type = c.fresh[i].ID, c.fresh[i].Type
		}
		c.out = append(c.out, change)
	}
	c.gone, c.fresh = nil, nil
}
