package console

import (
	"fmt"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// words are the page's own texts by key, put together when a page is first
// written: most processes never write one.
var words = sync.OnceValue(func() map[string]tools.Text {
	return map[string]tools.Text{
		"skip":      {ZH: "跳到正文", EN: "skip to content"},
		"nav":       {ZH: "页面", EN: "pages"},
		"nav_packs": {ZH: "能力", EN: "Capabilities"}, "nav_records": {ZH: "记录", EN: "Records"}, "nav_plans": {ZH: "计划", EN: "Plans"},
		"leave":     {ZH: "退出", EN: "sign out"},
		"workspace": {ZH: "工作区", EN: "workspace"}, "profile": {ZH: "配置档", EN: "profile"},
		"fault":   {ZH: "出错了；原因在 mnote-host 的日志里", EN: "something went wrong; mnote-host's log says why"},
		"refresh": {ZH: "刷新", EN: "refresh"},

		"packs_lead":  {ZH: "每个能力一个开关。关掉的能力和工具，所有正在运行的 agent 从下一次调用起就不能再用。", EN: "One switch per capability. What is off is refused to every running agent from its next call on."},
		"packs_none":  {ZH: "内核没有给出任何能力", EN: "the kernel lists no capability"},
		"n_tools":     {ZH: "%d 个工具", EN: "%d tools"},
		"needs":       {ZH: "需要 %s", EN: "needs %s"},
		"switch_on":   {ZH: "开", EN: "on"},
		"switch_off":  {ZH: "关", EN: "off"},
		"tools_of":    {ZH: "工具", EN: "Tools"},
		"tool":        {ZH: "工具", EN: "tool"},
		"kind":        {ZH: "类型", EN: "kind"},
		"state":       {ZH: "状态", EN: "state"},
		"kind_read":   {ZH: "读", EN: "read"},
		"kind_write":  {ZH: "写", EN: "write"},
		"needs_write": {ZH: "需要写权限", EN: "needs write permission"},
		"advanced":    {ZH: "高级：单个工具的开关", EN: "Advanced: switches of single tools"},
		"guidance":    {ZH: "只有说明，用 agent 自己的文件工具；MNote 不提供工具", EN: "rules for the agent's own file tools; MNote adds no tool"},
		"mode":        {ZH: "一种对话模式，不用工具", EN: "a mode of conversation, without tools"},
		"no_tools":    {ZH: "没有工具", EN: "no tools"},

		"state_on": {ZH: "开", EN: "on"}, "state_tool": {ZH: "已单独关闭", EN: "off by itself"},
		"state_capability": {ZH: "随能力关闭", EN: "off with its capability"},
		"state_planned":    {ZH: "尚未实现", EN: "not built yet"}, "state_retired": {ZH: "已停用", EN: "retired"},
		"locked_planned": {ZH: "尚未实现，不能打开", EN: "not built yet, cannot be switched on"},
		"locked_fixed":   {ZH: "不能开关", EN: "cannot be switched"},
		"pack_on":        {ZH: "已打开：%s", EN: "switched on: %s"}, "pack_off": {ZH: "已关闭：%s", EN: "switched off: %s"},
		"tool_on": {ZH: "已打开工具 %s", EN: "switched the tool %s on"}, "tool_off": {ZH: "已关闭工具 %s", EN: "switched the tool %s off"},

		"records_lead":    {ZH: "agent 做过的每一次调用，被拒绝的也在内；这里没有笔记的内容，只有差异可以查看。", EN: "Every call of an agent, refusals included. No content of a note is kept here; what a write changed can be looked at."},
		"records_none":    {ZH: "没有符合条件的记录", EN: "no record fits"},
		"filter":          {ZH: "筛选", EN: "Filter"},
		"clear":           {ZH: "清除条件", EN: "clear"},
		"session":         {ZH: "会话", EN: "session"},
		"page":            {ZH: "页面", EN: "page"},
		"outcome":         {ZH: "结果", EN: "outcome"},
		"since":           {ZH: "时间", EN: "time"},
		"any":             {ZH: "全部", EN: "any"},
		"outcome_read":    {ZH: "读取", EN: "read"},
		"outcome_write":   {ZH: "写入", EN: "written"},
		"outcome_dry_run": {ZH: "试写", EN: "dry run"},
		"outcome_refused": {ZH: "拒绝", EN: "refused"},
		"since_":          {ZH: "全部", EN: "any"}, "since_1h": {ZH: "一小时内", EN: "last hour"}, "since_24h": {ZH: "一天内", EN: "last day"},
		"since_7d": {ZH: "七天内", EN: "last week"}, "since_30d": {ZH: "三十天内", EN: "last 30 days"},
		"everywhere": {ZH: "包括其他工作区", EN: "other workspaces too"},
		"n_writes":   {ZH: "%d 次写入", EN: "%d written"}, "n_refused": {ZH: "%d 次拒绝", EN: "%d refused"},
		"replayed": {ZH: "重放", EN: "replayed"},
		"diff":     {ZH: "差异", EN: "Diff"}, "open_diff": {ZH: "打开差异", EN: "open the diff"}, "diff_of": {ZH: "%s 的差异", EN: "diff of %s"},
		"diff_none": {ZH: "内容没有变化", EN: "nothing changed"},
		"undo":      {ZH: "撤销", EN: "Undo"}, "undo_of": {ZH: "撤销 %s 对 %s 的写入", EN: "undo what %s wrote to %s"},
		"undone":    {ZH: "已撤销 %s", EN: "undone: %s"},
		"side_undo": {ZH: "撤销会做的改动", EN: "what undoing would change"}, "side_since": {ZH: "之后又有的改动", EN: "what was changed since"},
		"details": {ZH: "详情", EN: "Details"}, "run": {ZH: "运行", EN: "run"}, "call": {ZH: "调用", EN: "call"}, "trace": {ZH: "追踪", EN: "trace"},
		"scopes": {ZH: "权限", EN: "scopes"}, "took": {ZH: "用时", EN: "took"}, "command": {ZH: "命令", EN: "command"}, "changed": {ZH: "改动的文件", EN: "changed files"},
		"who": {ZH: "谁", EN: "who"}, "nobody": {ZH: "（未知）", EN: "(unknown)"},
		"older": {ZH: "更早的", EN: "older"}, "newest": {ZH: "回到最新", EN: "back to the newest"},

		"plans_lead":    {ZH: "这些写入要等你同意。批准之后，agent 用同样的参数再发一次才会写入，而且只有一次。", EN: "These writes wait for your yes. After it the agent sends the same arguments again and they pass, once."},
		"plans_none":    {ZH: "没有在等的计划", EN: "nothing waits for you"},
		"plans_over":    {ZH: "已有回答或已过期", EN: "Answered or expired"},
		"asked":         {ZH: "提出于", EN: "asked"},
		"expires":       {ZH: "有效至", EN: "good until"},
		"arguments":     {ZH: "参数", EN: "arguments"},
		"change_gone":   {ZH: "改动已不再保存，看不到会写什么", EN: "the change is no longer kept: what it would write cannot be shown"},
		"diff_cut":      {ZH: "差异太长，只有开头；全部内容见参数", EN: "the diff is longer than what is shown; the arguments are the whole"},
		"warnings":      {ZH: "警告：%s", EN: "warnings: %s"},
		"left_out":      {ZH: "太长，没有列出：%s", EN: "too long to be shown: %s"},
		"approve":       {ZH: "批准", EN: "Approve"},
		"decline":       {ZH: "不批准", EN: "Decline"},
		"approve_of":    {ZH: "批准：%s", EN: "approve: %s"},
		"decline_of":    {ZH: "不批准：%s", EN: "decline: %s"},
		"plan_yes":      {ZH: "已批准：agent 再发一次同样的写入即可", EN: "approved: the agent may send the same write once more"},
		"plan_no":       {ZH: "已拒绝：这次写入不会发生", EN: "declined: the write will not happen"},
		"plan_waiting":  {ZH: "在等", EN: "waiting"},
		"plan_approved": {ZH: "已批准，尚未写入", EN: "approved, not written yet"},
		"plan_declined": {ZH: "已拒绝", EN: "declined"},
		"plan_used":     {ZH: "已写入或已作废", EN: "written or void"},
		"plan_expired":  {ZH: "已过期", EN: "expired"},

		"refused":    {ZH: "打不开", EN: "Not available"},
		"signin":     {ZH: "请用一次性链接打开这个页面。在终端运行 mnote-host console，它会给出一个新链接。", EN: "Open this page by a one-time link: run mnote-host console in a terminal, it gives you a new one."},
		"spent":      {ZH: "这个链接已用过或已过期。在终端运行 mnote-host console，它会给出一个新链接。", EN: "This link was used before or is too old. Run mnote-host console in a terminal, it gives you a new one."},
		"elsewhere":  {ZH: "这个请求不是从本机的控制台页面发出的，没有执行。", EN: "This request did not come from this machine's own console page; nothing was done."},
		"forged":     {ZH: "这个表单不是本次登录的页面给出的，没有执行。请刷新页面再试。", EN: "This form is not one of this login's pages; nothing was done. Load the page again."},
		"badform":    {ZH: "表单读不懂或太大，没有执行。", EN: "The form cannot be read or is too large; nothing was done."},
		"nothing":    {ZH: "这里什么也没有。", EN: "There is nothing here."},
		"opened":     {ZH: "已登录", EN: "Signed in"},
		"opened_on":  {ZH: "进入控制台", EN: "open the console"},
		"other_lang": {ZH: "English", EN: "中文"},
	}
})

// say gives a text of the page's own, filled in; a key that is none stands for
// itself.
func say(lang tools.Lang, key string, args ...any) string {
	t, ok := words()[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return t.In(lang)
	}
	return fmt.Sprintf(t.In(lang), args...)
}
