package localkernel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// blockMembers are the members of a block that page.get gives; a save takes
// each of them back.
var blockMembers = []string{"id", "type", "level", "language", "text", "source", "items", "part"}

// readBlocks checks the content of a save block by block. A member that we do
// not know is refused: what it said would be lost without a word.
func readBlocks(content json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(content, &list); err != nil {
		return invalid("/content", saidOf(err), tools.Text{ZH: "块的数组", EN: "an array of blocks"})
	}
	for i, raw := range list {
		path := fmt.Sprintf("/content/%d", i)
		members, err := strictMembers(raw, blockMembers)
		if err != nil {
			return invalid(path, saidOf(err), tools.Text{ZH: "一个块：JSON 对象", EN: "a block: one JSON object"})
		}
		if err := readBlock(path, members); err != nil {
			return err
		}
	}
	return nil
}

func readBlock(path string, members map[string]json.RawMessage) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(blockMembers, name) {
			return invalid(path+"/"+bounded(name, maxHeading), tools.Text{ZH: "块没有这个成员", EN: "a block has no such member"},
				alike(strings.Join(blockMembers, ", ")))
		}
	}
	level := string(members["level"])
	if level == "" || level == "null" {
		return nil
	}
	if n, err := strconv.Atoi(level); err != nil || n < 0 || n > 6 {
		return invalid(path+"/level", tools.Text{ZH: "不是标题级别", EN: "no level of a heading"},
			tools.Text{ZH: "1 到 6 的整数", EN: "an integer from 1 to 6"})
	}
	return nil
}
