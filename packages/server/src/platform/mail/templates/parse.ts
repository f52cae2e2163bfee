import Mustache from 'mustache'
import { messageOf } from '../../errors.ts'
import { type MailKind, type TemplateText, type Variable, variablesOf } from './kind.ts'

export const templateFields = ['subject', 'body'] as const
type Field = (typeof templateFields)[number]

/**
 * `syntax`: a tag or section is not closed, or was never opened; `tag`: one of the kinds of tags that templates do not
 * have; `unknown`: no such variable; `flag`: a flag is shown; `link`: an address in the subject, or a link that leads
 * neither to an address of the platform nor elsewhere over https; `nesting`: sections too deep; `missing`: a variable
 * that has to be shown; `hidden`: a character that cannot be seen
 */
export type FaultCode = 'syntax' | 'tag' | 'unknown' | 'flag' | 'link' | 'nesting' | 'missing' | 'hidden'

/** What is wrong with a template; lines and columns count from 1, and are null where a whole field is meant. */
export interface Fault {
  field: Field
  code: FaultCode
  name: string | null
  line: number | null
  column: number | null
}

/** A part of a template: text, a variable, or a section shown if a variable is there (or is not). */
export type Part =
  | { kind: 'text'; text: string; at: number }
  | { kind: 'variable'; name: string; at: number }
  | { kind: 'section'; name: string; isInverted: boolean; parts: Part[]; at: number }

const depthMax = 3
const faultsMax = 20

/**
 * Splits a template: `{{name}}` shows a variable, `{{#name}}…{{/name}}` is for when it is there, `{{^name}}…{{/name}}` for when
 * it is not.
 * @throws Error of the parser, with the place in its message
 */
export function parse(template: string): Part[] {
  // One writer each: the shared one would remember every template for ever.
  return partsOf(new Mustache.Writer().parse(template) as Token[])
}

/** As the parser gives it: type, content, start, end, for sections their tokens. */
type Token = [type: string, value: string, start: number, end: number, inner?: Token[]]

function partsOf(tokens: readonly Token[]): Part[] {
  return tokens.map(([type, value, at, , inner]): Part => {
    if (type === 'text') return { kind: 'text', text: value, at }
    if (type === 'name') return { kind: 'variable', name: value, at }
    if (type === '#' || type === '^')
      return { kind: 'section', name: value, isInverted: type === '^', parts: partsOf(inner ?? []), at }
    throw new UnknownTag(at)
  })
}

class UnknownTag extends Error {
  readonly at: number
  constructor(at: number) {
    super('unknown tag')
    this.at = at
  }
}

/** What cannot be seen could make a text say something else than it seems to. */
const hidden = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Co}\p{Zl}\p{Zp}]/u
/** `[text](address)` */
const links = /\[[^\]\n]{1,200}\]\(([^)\n]{0,500})\)/g
const literalLink = /^https:\/\/[^\s{}<>"'\\]+$/
const linkTag = /^\{\{\s*([A-Za-z]+)\s*\}\}$/

/** Pure. Everything that is wrong with a template; empty: it can be used. */
export function faultsOf(kind: MailKind, texts: TemplateText): Fault[] {
  const variables = variablesOf(kind)
  const faults = templateFields.flatMap((field) => fieldFaults(field, texts[field], variables))
  const broken = new Set(faults.map(({ field }) => field))
  if (broken.has('body')) return faults.slice(0, faultsMax)
  const shown = new Set(parse(texts.body).flatMap((part) => (part.kind === 'variable' ? [part.name] : [])))
  for (const [name, { isRequired }] of variables)
    if (isRequired && !shown.has(name))
      faults.push({ field: 'body', code: 'missing', name, line: null, column: null })
  return faults.slice(0, faultsMax)
}

function fieldFaults(field: Field, text: string, variables: ReadonlyMap<string, Variable>): Fault[] {
  const fault = (code: FaultCode, at: number, name: string | null = null): Fault => ({
    field,
    code,
    name,
    ...placeOf(text, at),
  })
  const unseen = hidden.exec(text)
  if (unseen) return [fault('hidden', unseen.index)]
  let parts: Part[]
  try {
    parts = parse(text)
  } catch (error) {
    if (error instanceof UnknownTag) return [fault('tag', error.at)]
    return [fault('syntax', Number(/ at (\d+)$/.exec(messageOf(error))?.[1] ?? 0))]
  }
  const found: Fault[] = []
  const check = (inner: readonly Part[], depth: number): void => {
    for (const part of inner) {
      if (found.length >= faultsMax || part.kind === 'text') continue
      const type = variables.get(part.name)?.type
      if (type === undefined) found.push(fault('unknown', part.at, part.name.slice(0, 50)))
      else if (part.kind === 'variable' && type === 'flag') found.push(fault('flag', part.at, part.name))
      else if (part.kind === 'variable' && type === 'link' && field === 'subject')
        found.push(fault('link', part.at, part.name))
      if (part.kind !== 'section') continue
      if (depth === depthMax) found.push(fault('nesting', part.at))
      else check(part.parts, depth + 1)
    }
  }
  check(parts, 0)
  // What looks like an address becomes a link.
  const plain = text.search(/http:\/\//i)
  if (plain >= 0) found.push(fault('link', plain))
  if (field === 'body')
    for (const { 1: target = '', index } of text.matchAll(links)) {
      const name = linkTag.exec(target)?.[1]
      const isFine = name === undefined ? literalLink.test(target) : variables.get(name)?.type === 'link'
      if (!isFine) found.push(fault('link', index))
    }
  return found
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
