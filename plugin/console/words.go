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
		"lost_lead":   {ZH: "开关的记录丢失了（switches.db 被删除或损坏），不知道关掉过什么，所以都关着。逐个打开，或全部恢复。", EN: "The record of the switches was lost (switches.db was deleted or damaged), so what was off is not known and all is off. Switch on one by one, or all at once."},
		"reset":       {ZH: "全部打开", EN: "Switch all on"},
		"reset_done":  {ZH: "所有开关：开，对所有配置档", EN: "every switch: on, for every profile"},
		"packs_none":  {ZH: "内核没有给出任何能力", EN: "the kernel lists no capability"},
		"n_tools":     {ZH: "%d 个工具", EN: "%d tools"},
		"all_planned": {ZH: "%d 个工具，尚未实现", EN: "%d tools, not built yet"},
		"n_planned":   {ZH: "另有 %d 个尚未实现", EN: "%d more not built yet"},
		"ref_page":    {ZH: "页面", EN: "page"}, "ref_folder": {ZH: "文件夹", EN: "folder"}, "ref_file": {ZH: "文件", EN: "file"},
		"ref_mindmap": {ZH: "思维导图", EN: "mindmap"}, "ref_office": {ZH: "Office 文件", EN: "office"},
		"one_profile": {ZH: "单个工具的开关只对配置档 %s 有效；能力的开关对所有配置档有效。", EN: "A single tool's switch holds for the profile %s alone; a capability's holds for all."},
		"profiles":    {ZH: "换一个配置档", EN: "another profile"},
		"needs":       {ZH: "需要 %s", EN: "needs %s"},
		"switch_on":   {ZH: "开", EN: "on"},
		"switch_off":  {ZH: "关", EN: "off"},
		"tools_of":    {ZH: "工具（%s）", EN: "Tools (%s)"},
		"comma":       {ZH: "，", EN: ", "},
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
		"tool_on": {ZH: "已打开工具 %s（配置档 %s）", EN: "switched the tool %s on, in the profile %s"}, "tool_off": {ZH: "已关闭工具 %s（配置档 %s）", EN: "switched the tool %s off, in the profile %s"},

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
		"undone":         {ZH: "已撤销 %s", EN: "undone: %s"},
		"outcome_undone": {ZH: "已撤销", EN: "undone"}, "undone_by": {ZH: "撤销它的命令", EN: "undone by"},
		"agreed":        {ZH: "谁同意的", EN: "a person spoke"},
		"agreed_client": {ZH: "在客户端里同意", EN: "agreed in the client"}, "agreed_terminal": {ZH: "在终端上同意", EN: "agreed on the terminal"},
		"agreed_console": {ZH: "在控制台同意", EN: "agreed in the console"}, "agreed_permission": {ZH: "在权限询问里同意", EN: "agreed by a permission"},
		"declined_client": {ZH: "在客户端里拒绝", EN: "declined in the client"}, "declined_terminal": {ZH: "在终端上拒绝", EN: "declined on the terminal"},
		"declined_console": {ZH: "在控制台拒绝", EN: "declined in the console"}, "declined_permission": {ZH: "在权限询问里拒绝", EN: "declined by a permission"},
		"n_reads":   {ZH: "%d 次", EN: "%d times"},
		"side_undo": {ZH: "撤销会做的改动", EN: "what undoing would change"}, "side_since": {ZH: "之后又有的改动", EN: "what was changed since"},
		"details": {ZH: "详情", EN: "Details"}, "run": {ZH: "运行", EN: "run"}, "call": {ZH: "调用", EN: "call"}, "trace": {ZH: "追踪", EN: "trace"},
		"scopes": {ZH: "权限", EN: "scopes"}, "took": {ZH: "用时", EN: "took"}, "command": {ZH: "命令", EN: "command"}, "changed": {ZH: "改动的文件", EN: "changed files"},
		"who": {ZH: "谁", EN: "who"}, "nobody": {ZH: "（未知）", EN: "(unknown)"},
		"older": {ZH: "更早的", EN: "older"}, "newest": {ZH: "回到最新", EN: "back to the newest"},

		"plans_lead":        {ZH: "这些写入要等你同意。批准只对提出它的那个会话有效：那个 agent 用同样的参数再发一次才会写入，而且只有一次；agent 重新启动后要重新批准。", EN: "These writes wait for your yes. A yes serves the session that asked, alone: its agent sends the same arguments again and they pass, once. A new start of the agent needs a new yes."},
		"plans_none":        {ZH: "没有在等的计划", EN: "nothing waits for you"},
		"plans_over":        {ZH: "已有回答或已过期", EN: "Answered or expired"},
		"asked":             {ZH: "提出于", EN: "asked"},
		"expires":           {ZH: "有效至", EN: "good until"},
		"arguments":         {ZH: "参数", EN: "arguments"},
		"change_gone":       {ZH: "改动已不再保存，看不到会写什么", EN: "the change is no longer kept: what it would write cannot be shown"},
		"not_whole":         {ZH: "这个改动没有全部显示，不能整个判断：%s。拿不准就不要批准", EN: "this change is not shown whole and cannot be judged whole: %s. When in doubt do not approve it"},
		"arguments_cut":     {ZH: "参数（要写入的内容；被删掉的不在里面）", EN: "arguments (what is written; what goes away is not among them)"},
		"arguments_of":      {ZH: "%s 的参数", EN: "arguments of %s"},
		"no_page":           {ZH: "（没有页面）", EN: "(no page)"},
		"plans_fresh":       {ZH: "有 # 个新的计划，显示", EN: "# new to decide, show"},
		"plan_gone":         {ZH: "这个计划已被新的代替，或不再保存", EN: "this plan gave way to a newer one, or is no longer kept"},
		"plan_changed":      {ZH: "给你看过之后它会做的改动变了；请重新打开这一页", EN: "what it would do has changed since this was shown; open the page again"},
		"take_back":         {ZH: "收回同意", EN: "Take it back"},
		"take_back_of":      {ZH: "收回同意：%s", EN: "take it back: %s"},
		"approve_after_all": {ZH: "还是批准", EN: "Approve after all"},
		"link_lost":         {ZH: "连接断了，正在重试；这一页上的按钮暂时不能用", EN: "disconnected, trying again; the buttons do nothing meanwhile"},
		"link_out":          {ZH: "登录已失效：在终端运行 mnote-host console，用它给出的新链接打开", EN: "signed out: run mnote-host console in a terminal and open the link that it gives"},
		"link_calm":         {ZH: "这一页刚刚变了：看一眼，再按一次", EN: "the page has just changed: look, then press again"},
		"warnings":          {ZH: "警告：%s", EN: "warnings: %s"},
		"left_out":          {ZH: "太长，没有列出：%s", EN: "too long to be shown: %s"},
		"approve":           {ZH: "批准", EN: "Approve"},
		"decline":           {ZH: "不批准", EN: "Decline"},
		"approve_of":        {ZH: "批准：%s", EN: "approve: %s"},
		"decline_of":        {ZH: "不批准：%s", EN: "decline: %s"},
		"plan_yes":          {ZH: "已批准：%s。那个 agent 在同一个会话里再发一次同样的写入即可", EN: "approved: %s. Its agent may send the same write once more, in the same session"},
		"plan_no":           {ZH: "已拒绝：%s。这次写入不会发生", EN: "declined: %s. The write will not happen"},
		"plan_waiting":      {ZH: "在等", EN: "waiting"},
		"plan_approved":     {ZH: "已批准，尚未写入；只对提出它的会话有效", EN: "approved, not written yet; for the session that asked alone"},
		"plan_declined":     {ZH: "已拒绝", EN: "declined"},
		"plan_used":         {ZH: "已用：写入了", EN: "used: it was written"},
		"plan_void":         {ZH: "过时：页面在它之后变了，agent 要重新提出", EN: "out of date: the page changed since; the agent must ask again"},
		"plan_ended":        {ZH: "agent 的会话已经结束", EN: "the agent's session has ended"},
		"plan_expired":      {ZH: "已过期", EN: "expired"},

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

// codes are the refusals in Chinese; in English the code says it itself.
var codes = sync.OnceValue(func() map[tools.Code]string {
	return map[tools.Code]string{
		tools.CodeNotFound: "没有这个工具", tools.CodeRetired: "工具已停用", tools.CodeDisabled: "已关闭", tools.CodeInvalidArgs: "参数不对",
		tools.CodeMissingContext: "缺少上下文", tools.CodeUnauthenticated: "令牌不对", tools.CodePermissionDenied: "没有权限", tools.CodeResourceDenied: "资源没有授权",
		tools.CodeNotWired: "尚未实现", tools.CodePageProtected: "页面受保护", tools.CodeDocumentNotFound: "没有这个页面", tools.CodeConflict: "冲突",
		tools.CodeIdempotencyConflict: "键已用于别的写入", tools.CodePayloadTooLarge: "太大", tools.CodeTimeout: "超时", tools.CodeCancelled: "已取消",
		tools.CodeConfirmationRequired: "等人同意", tools.CodeConfirmationDeclined: "人没有同意", tools.CodeInvalidBlock: "块不对", tools.CodeRateLimited: "太频繁",
		tools.CodeKernelUnavailable: "连不上内核", tools.CodeContractViolation: "内核的回答不合约定", tools.CodeInternal: "内部错误",
	}
})

// sayCode names a refusal for people; one that is not ours stands as it is.
func sayCode(lang tools.Lang, code tools.Code) string {
	if said, ok := codes()[code]; ok && lang == tools.ZH {
		return said
	}
	return string(code)
}

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
