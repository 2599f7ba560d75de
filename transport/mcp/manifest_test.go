package mcp_test

// smallManifest is the manifest of conversations that bring none: the page
// tools, a skill, and a tool of each further kind of hint.
const smallManifest = `{
  "ok": true, "manifestVersion": "test.1",
  "capabilities": [
    {"id": "mnote-current-page", "title": "当前页读取", "description": "Read and edit the current page.", "skillId": "mnote-current-page",
     "category": "mnote", "uiKind": "capability", "public": true, "enabled": true,
     "toolNames": ["mnote.skill.read", "mnote.page.get", "mnote.page.save", "mnote.doc.list"]},
    {"id": "mnote-chat-only", "title": "纯聊天", "description": "Chat without tools.", "skillId": "mnote-chat-only",
     "category": "chat", "uiKind": "chat", "public": true, "enabled": false, "toolNames": []}
  ],
  "tools": [
    {"name": "mnote.skill.read", "title": "读取技能", "description": "Read an MNote skill (技能).", "kind": "read",
     "capabilityId": "mnote-current-page", "capabilityScope": ["skill.read"],
     "inputSchema": {"type": "object", "required": ["skillId"], "properties": {"skillId": {"type": "string"}}, "additionalProperties": false}},
    {"name": "mnote.page.get", "title": "读取页面", "description": "Read an MNote page of notes (笔记).", "kind": "read",
     "capabilityId": "mnote-current-page", "capabilityScope": ["page.read"],
     "inputSchema": {"type": "object", "required": ["workspaceId", "documentId"], "additionalProperties": false, "properties": {
       "workspaceId": {"type": "string"}, "documentId": {"type": "string"}, "cursor": {"type": "string"},
       "maxChars": {"type": "integer", "minimum": 1}, "includeBody": {"type": "boolean"}, "includeOptions": {"type": "boolean"},
       "includeBlocks": {"type": "boolean"}}}},
    {"name": "mnote.page.save", "title": "保存页面", "description": "Replace or append to an MNote page.", "kind": "write",
     "capabilityId": "mnote-current-page", "capabilityScope": ["page.write"], "requiresWritePermission": true, "command": "page.body.save",
     "inputSchema": {"type": "object", "required": ["workspaceId", "documentId", "idempotencyKey", "dryRun", "content", "mode"],
       "additionalProperties": false, "properties": {
       "workspaceId": {"type": "string"}, "documentId": {"type": "string"}, "idempotencyKey": {"type": "string"},
       "dryRun": {"type": "boolean"}, "content": {"type": "string"}, "mode": {"type": "string", "enum": ["replace", "append"]},
       "expectedRevision": {"type": "integer"}, "planId": {"type": "string"}}}},
    {"name": "mnote.doc.list", "title": "列出文档", "description": "List MNote documents of a folder.", "kind": "read",
     "capabilityId": "mnote-current-page", "capabilityScope": ["doc.read"],
     "inputSchema": {"type": "object", "additionalProperties": false, "properties": {"folder": {"type": "string"}, "cursor": {"type": "string"}}}},
    {"name": "mnote.web.clip", "title": "剪藏网页", "description": "Clip a web page into MNote.", "kind": "write", "status": "planned",
     "capabilityId": "mnote-current-page", "capabilityScope": ["doc.write"], "annotations": {"openWorld": true},
     "inputSchema": {"type": "object", "properties": {}}}
  ]
}`
