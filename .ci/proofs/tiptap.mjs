// An editor that opens each page named on stdin and saves it, as tiptap's own
// Markdown extension parses and serializes it.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { MarkdownManager } from '@tiptap/markdown'
import StarterKit from '@tiptap/starter-kit'
import { TableKit } from '@tiptap/extension-table'
import { TaskItem, TaskList } from '@tiptap/extension-list'
import Image from '@tiptap/extension-image'

const markdown = new MarkdownManager({ extensions: [StarterKit, TableKit, TaskList, TaskItem, Image] })
for await (const path of createInterface({ input: process.stdin })) {
  writeFileSync(path, markdown.serialize(markdown.parse(readFileSync(path, 'utf8'))))
  process.stdout.write('saved\n')
}
