import { messageBytesMax } from '@leitstand/contract/rules/actions/webhook'
import { storableText } from '../../../platform/storable.ts'
import { renderText, type TextValues } from '../render.ts'
import type { Issue } from '../types.ts'

const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_.]*)\s*\}\}/g

/** A message that would be larger than `messageBytesMax`. */
export class MessageTooLarge extends Error {}

/** A text with its placeholders filled in. @throws MessageTooLarge */
export function renderMessage(template: string, values: TextValues): string {
  return bounded(storableText(renderText(template, values)))
}

/**
 * JSON with its placeholders filled in: within a text they insert text, elsewhere the value of the metric as
 * JSON. If the template is valid (`jsonFault`), the result is valid JSON with any values.
 * @throws MessageTooLarge
 */
export function renderJson(template: string, values: TextValues): string {
  const parts: string[] = []
  let length = 0
  const add = (part: string) => {
    length += part.length
    if (length > messageBytesMax) throw new MessageTooLarge()
    parts.push(part)
  }
  let end = 0
  let inText = false
  for (const match of template.matchAll(placeholder)) {
    const before = template.slice(end, match.index)
    inText = endsInText(before, inText)
    add(before)
    add(
      inText
        ? JSON.stringify(renderText(match[0], values)).slice(1, -1)
        : literal(match[1] as string, values),
    )
    end = match.index + match[0].length
  }
  add(template.slice(end))
  return bounded(parts.join(''))
}

/** Why a JSON template is invalid; null: it gives JSON with any values. */
export function jsonFault(template: string): string | null {
  const nothing: TextValues = {
    inputs: {},
    decimals: new Map(),
    twinTitle: '',
    ruleTitle: '',
    at: new Date(0),
    timeZone: 'UTC',
  }
  try {
    JSON.parse(renderJson(template, nothing))
    return null
  } catch (error) {
    return error instanceof MessageTooLarge ? 'the message is too large' : 'not valid JSON'
  }
}

/** Checks a JSON template. */
export function checkJson(template: string, path: string[]): Issue[] {
  const message = jsonFault(template)
  return message === null ? [] : [{ path, message, text: 'jsonTemplate' }]
}

/** A topic with its placeholders filled in; values cannot add levels or wildcards. */
export function renderTopic(template: string, values: TextValues): string {
  const one = (whole: string) =>
    renderText(whole, values)
      .replace(/[/+#\s\p{Cc}]+/gu, '_')
      .slice(0, 100)
  return storableText(template.replace(placeholder, one))
}

function literal(name: string, values: TextValues): string {
  if (Object.hasOwn(values.inputs, name)) return JSON.stringify(values.inputs[name] ?? null)
  if (name === 'time') return JSON.stringify(values.at.toISOString())
  if (name === 'twin.title') return JSON.stringify(values.twinTitle)
  return name === 'rule.title' ? JSON.stringify(values.ruleTitle) : 'null'
}

/** Whether the position after a piece of JSON is within a text. @param inText whether its beginning is */
function endsInText(piece: string, inText: boolean): boolean {
  let within = inText
  for (let index = 0; index < piece.length; index++) {
    const char = piece[index]
    if (within && char === '\\') index++
    else if (char === '"') within = !within
  }
  return within
}

function bounded(text: string): string {
  if (Buffer.byteLength(text) > messageBytesMax) throw new MessageTooLarge()
  return text
}
