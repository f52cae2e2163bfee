import type { Presence } from '../../brands.ts'
import {
  type ButtonColours,
  belowHtml,
  buttonHtml,
  buttonIn,
  documentOf,
  escaped,
  headingHtml,
  linesOf,
  linkHtml,
  listHtml,
  paragraphHtml,
  paragraphsOf,
  picturesPlace,
  ruleHtml,
  tablesHtml,
} from '../html.ts'
import type { Language } from '../text.ts'
import { type Block, blocksOf, type Piece, type Slot, skeletonOf } from './blocks.ts'
import {
  type MailKind,
  type MailTable,
  type TemplateText,
  type Value,
  type Values,
  type Variable,
  variablesOf,
} from './kind.ts'
import { parse } from './parse.ts'

/** Replaced by the secret of a mail when it is sent, in text and HTML. */
export const secretPlace = '{secret}'

const lineLengthMax = 1000
const linesLengthMax = 100_000
const subjectLengthMax = 200

/** A mail in all its forms. */
export interface Rendered {
  /** one line */
  subject: string
  text: string
  /** with `picturesPlace` where pictures come */
  html: string
}

interface Given {
  language: Language
  values: Values<string>
  presence: Pick<Presence, 'accountId' | 'name' | 'logo' | 'highlight'>
  /** text of the platform below what the template says; may be empty */
  below?: string | undefined
}

/** Pure. A mail of a kind in the words of a template that `faultsOf` finds nothing in. */
export function render(kind: MailKind, texts: TemplateText, given: Given): Rendered {
  const { language, presence, below = '' } = given
  const product = presence.name[language]
  const variables = variablesOf(kind)
  const shownAs = (name: string) =>
    slotOf(variables.get(name), name === 'product' ? product : given.values[name])
  const subject = lineOf(filled(skeletonOf(parse(texts.subject), shownAs)))
    .slice(0, subjectLengthMax)
    .toWellFormed()
  const blocks = blocksOf(skeletonOf(parse(texts.body), shownAs))
  const { light, dark } = presence.highlight
  const button = buttonIn(light)
  const content = [...blocks.map((block) => blockHtml(block, button)), picturesPlace, belowHtml(below)].join(
    '\n',
  )
  return {
    subject,
    text: blocks.map(blockText).join('\n\n') + below,
    html: documentOf(content, {
      language: kind.languages === 'one' ? undefined : language,
      title: subject,
      brand: { name: product, logo: presence.logo },
      isWide: [...variables.values()].some(({ type }) => type === 'tables'),
      darkButton: dark === null ? undefined : buttonIn(dark),
    }),
  }
}

/** A value as it may be shown: nothing in it is a mark of ours, a control character, or the place of a secret. */
function slotOf(variable: Variable | undefined, value: Value | undefined): Slot | boolean | undefined {
  if (variable === undefined || value === undefined) return undefined
  if (variable.type === 'flag' || typeof value === 'boolean') return value === true
  if (typeof value === 'object') return tablesSlot(value)
  if (variable.type === 'link') return { type: 'link', value }
  const harmless = harmlessOf(value)
  return variable.type === 'lines'
    ? { type: 'lines', value: harmless }
    : { type: 'text', value: lineOf(harmless).slice(0, lineLengthMax).toWellFormed() }
}

function harmlessOf(value: string): string {
  return value
    .slice(0, linesLengthMax)
    .replaceAll('\r\n', '\n')
    .replaceAll(secretPlace, '{ secret }')
    .replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Co}]/gu, '')
}

function tablesSlot(given: readonly MailTable[]): Slot {
  const line = (text: string) => lineOf(harmlessOf(text)).slice(0, lineLengthMax).toWellFormed()
  const tables = given.map(({ title, columns, rows, note }) => ({
    title: line(title),
    columns: columns.map((column) => ({ ...column, title: line(column.title) })),
    rows: rows.map((row) => row.map(line)),
    note: note === null ? null : line(note),
  }))
  return { type: 'tables', value: tables.map(tableText).join('\n\n'), tables }
}

function tableText({ title, columns, rows, note }: MailTable): string {
  const between = columns.every((column) => column.title === '') ? ': ' : ' | '
  return [
    title,
    '-'.repeat(title.length),
    ...rows.map((row) => row.join(between)),
    ...(note === null ? [] : [note]),
  ].join('\n')
}

function filled({ text, slots }: ReturnType<typeof skeletonOf>): string {
  return text.replace(/\uE000(\d+)\uE001/g, (_, index) => slots[Number(index)]?.value ?? '')
}

function lineOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return textOf(block.pieces)
    case 'paragraph':
      return block.lines.map(textOf).join('\n')
    case 'list':
      return block.items.map((item) => `- ${textOf(item)}`).join('\n')
    case 'button':
      return `${textOf(block.pieces)}: ${block.url}`
    case 'rule':
      return '---'
  }
}

function textOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece): string => {
      if (piece.kind === 'text') return piece.text
      if (piece.kind === 'slot') return piece.slot.value
      return piece.kind === 'bold' ? textOf(piece.pieces) : `${textOf(piece.pieces)} (${piece.url})`
    })
    .join('')
}

function blockHtml(block: Block, button: ButtonColours): string {
  switch (block.kind) {
    case 'heading':
      return headingHtml(htmlOf(block.pieces))
    case 'paragraph': {
      const [line = []] = block.lines
      const [only] = line
      if (block.lines.length === 1 && line.length === 1 && only?.kind === 'slot') {
        const { type, value, tables } = only.slot
        if (tables !== undefined) return tablesHtml(tables)
        // A longer text has paragraphs of its own.
        if (type === 'lines' || type === 'tables') return paragraphsOf(value)
      }
      return paragraphHtml(block.lines.map(htmlOf).join('<br>\n'))
    }
    case 'list':
      return listHtml(block.items.map(htmlOf))
    case 'button':
      return buttonHtml(block.url, htmlOf(block.pieces), button)
    case 'rule':
      return ruleHtml
  }
}

function htmlOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece): string => {
      if (piece.kind === 'text') return linesOf(piece.text)
      if (piece.kind === 'bold') return `<strong>${htmlOf(piece.pieces)}</strong>`
      if (piece.kind === 'link') return linkHtml(piece.url, labelOf(piece.pieces))
      const { type, value } = piece.slot
      if (type === 'link') return linkHtml(value, escaped(value))
      return type === 'text' ? escaped(value) : linesOf(value)
    })
    .join('')
}

/** The text of a link, in which no other link begins. */
function labelOf(pieces: readonly Piece[]): string {
  return escaped(textOf(pieces))
}
