import type { MailTable } from './kind.ts'
import type { Part } from './parse.ts'

/** What a variable was replaced by. */
export interface Slot {
  type: 'text' | 'lines' | 'tables' | 'link'
  /** of tables: the same as text */
  value: string
  tables?: readonly MailTable[]
}

/**
 * A template with its sections decided, and a mark for each variable. Blocks are found in it before the values are put in, so
 * that no value is taken for a heading, a link or anything but text.
 */
export interface Skeleton {
  text: string
  slots: readonly Slot[]
}

const open = '\uE000'
const close = '\uE001'
const marks = /\uE000(\d+)\uE001/g

/** Pure. @param shownAs undefined: the variable is not there */
export function skeletonOf(
  parts: readonly Part[],
  shownAs: (name: string) => Slot | boolean | undefined,
): Skeleton {
  const slots: Slot[] = []
  const isThere = (name: string) => {
    const value = shownAs(name)
    return typeof value === 'object' ? value.value !== '' : value === true
  }
  const write = (inner: readonly Part[]): string =>
    inner
      .map((part) => {
        if (part.kind === 'text') return part.text
        if (part.kind === 'section') return isThere(part.name) === part.isInverted ? '' : write(part.parts)
        const value = shownAs(part.name)
        return typeof value === 'object' ? `${open}${slots.push(value) - 1}${close}` : ''
      })
      .join('')
  return { text: write(parts), slots }
}

/** A piece of a line. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'slot'; slot: Slot }
  | { kind: 'bold'; pieces: Piece[] }
  | { kind: 'link'; pieces: Piece[]; url: string }

export type Block =
  | { kind: 'heading'; pieces: Piece[] }
  | { kind: 'paragraph'; lines: Piece[][] }
  | { kind: 'list'; items: Piece[][] }
  /** a link that has a line of its own */
  | { kind: 'button'; pieces: Piece[]; url: string }
  | { kind: 'rule' }

/** Pure. Headings (`# `), lists (`- `), rules (`---`), links with a line of their own, and paragraphs. */
export function blocksOf({ text, slots }: Skeleton): Block[] {
  const blocks: Block[] = []
  let isOpen = false
  const last = () => (isOpen ? blocks.at(-1) : undefined)
  for (const line of text.split('\n')) {
    const content = line.trim()
    const before = last()
    if (content === '') {
      isOpen = false
      continue
    }
    const pieces = (of: string) => piecesOf(of, slots)
    if (content.startsWith('# ')) {
      blocks.push({ kind: 'heading', pieces: pieces(content.slice(2)) })
      isOpen = false
    } else if (content === '---') {
      blocks.push({ kind: 'rule' })
      isOpen = false
    } else if (content.startsWith('- ')) {
      const item = pieces(content.slice(2))
      if (before?.kind === 'list') before.items.push(item)
      else blocks.push({ kind: 'list', items: [item] })
      isOpen = true
    } else {
      const found = pieces(content)
      const [only] = found
      if (only?.kind === 'link' && found.length === 1) {
        blocks.push({ kind: 'button', pieces: only.pieces, url: only.url })
        isOpen = false
      } else {
        if (before?.kind === 'paragraph') before.lines.push(found)
        else blocks.push({ kind: 'paragraph', lines: [found] })
        isOpen = true
      }
    }
  }
  return blocks
}

const marked = /\*\*([^*\n]{1,300})\*\*|\[([^\]\n]{1,300})\]\(([^)\s]{1,500})\)/g
const literalLink = /^https:\/\/[^\s{}<>"'\\\uE000\uE001]+$/
const oneMark = /^\uE000(\d+)\uE001$/

function piecesOf(line: string, slots: readonly Slot[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: whole, 1: bold, 2: label, 3: target, index } of line.matchAll(marked)) {
    const url = target === undefined ? undefined : urlOf(target, slots)
    const inner = plainPieces(bold ?? label ?? '', slots)
    // An address of the platform as the text of a link to elsewhere would deceive.
    const deceives = inner.some((piece) => piece.kind === 'slot' && piece.slot.type === 'link')
    if (bold === undefined && (url === undefined || deceives)) continue
    pieces.push(...plainPieces(line.slice(from, index), slots))
    pieces.push(url === undefined ? { kind: 'bold', pieces: inner } : { kind: 'link', pieces: inner, url })
    from = index + whole.length
  }
  return [...pieces, ...plainPieces(line.slice(from), slots)]
}

/** A link leads to an address that the platform has made, or elsewhere over https: never a mixture of both. */
function urlOf(target: string, slots: readonly Slot[]): string | undefined {
  const slot = slots[Number(oneMark.exec(target)?.[1] ?? -1)]
  if (slot) return slot.type === 'link' && slot.value !== '' ? slot.value : undefined
  return literalLink.test(target) ? target : undefined
}

function plainPieces(text: string, slots: readonly Slot[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { 0: mark, 1: index, index: at } of text.matchAll(marks)) {
    const slot = slots[Number(index)]
    if (slot === undefined) continue
    const before = text.slice(from, at)
    if (before !== '') pieces.push({ kind: 'text', text: before })
    // The address of somebody else in front must not swallow a confidential one.
    if (slot.type === 'link' && at > 0 && /\S$/.test(text.slice(0, at)))
      pieces.push({ kind: 'text', text: ' ' })
    pieces.push({ kind: 'slot', slot })
    from = at + mark.length
  }
  const rest = text.slice(from)
  return rest === '' ? pieces : [...pieces, { kind: 'text', text: rest }]
}
