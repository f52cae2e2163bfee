import { type Dashboard, WidgetDefinition } from '@leitstand/contract/dashboards'
import { describe, expect, it } from 'vitest'
import {
  addWidget,
  change,
  configureWidget,
  contentOf,
  copyWidget,
  type Edits,
  isChanged,
  moveWidget,
  onto,
  ownDataIds,
  redo,
  removeWidget,
  startEdits,
  undo,
} from './draft.ts'

const heading = (title: string) => WidgetDefinition.parse({ type: 'empty', title })
const tiles = (title: string, stateIds: number[]) =>
  WidgetDefinition.parse({ type: 'value', title, valueOptions: { stateIds } })

function board(titles: string, version = 1): Dashboard {
  return {
    id: 7,
    name: 'Hall',
    description: '',
    accountId: 1,
    accountName: 'City',
    parentDtwinId: null,
    widgetCount: titles.length,
    updatedAt: '2026-11-20T08:00:00Z',
    settings: { defaultDateRange: { preset: '24h' }, customParameters: [] },
    editable: true,
    version,
    widgets: [...titles].map((title, index) => ({
      id: title.charCodeAt(0),
      order: index,
      definition: heading(title),
    })),
  }
}

const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.charCodeAt(0)) as [number, number, number]
const titles = ({ present }: Edits) => present.widgets.map(({ definition }) => definition.title).join('')
const after = (edits: Edits, ...steps: Parameters<typeof change>[1][]) => steps.reduce(change, edits)

describe('the draft of a dashboard', () => {
  it('adds, copies, configures, moves and removes widgets', () => {
    const edits = after(
      startEdits(board('abc')),
      addWidget(heading('d')),
      copyWidget({ id: a, order: 0, definition: heading('a') }),
      configureWidget(b, heading('B')),
      moveWidget(c, a),
      removeWidget(a),
    )
    expect(titles(edits)).toBe('caBd')
    expect(edits.present.widgets.map(({ order }) => order)).toEqual([0, 1, 2, 3])
    expect(new Set(edits.present.widgets.map(({ id }) => id)).size).toBe(4)
    expect(contentOf(edits.present).widgets.map(({ id }) => id)).toEqual([c, null, b, null])
  })

  it('undoes and redoes every step, and forgets what was undone with the next change', () => {
    const start = startEdits(board('ab'))
    const edits = after(start, removeWidget(a), addWidget(heading('c')))
    expect(titles(undo(edits))).toBe('b')
    expect(titles(undo(undo(edits)))).toBe('ab')
    expect(undo(undo(undo(edits)))).toEqual(undo(undo(edits)))
    expect(titles(redo(redo(undo(undo(edits)))))).toBe('bc')
    expect(redo(edits)).toBe(edits)
    const other = after(undo(edits), addWidget(heading('x')))
    expect([titles(other), other.future]).toEqual(['bx', []])
  })

  it('bounds the steps', () => {
    const steps = Array.from({ length: 150 }, (_, index) => configureWidget(a, heading(`t${index}`)))
    expect(after(startEdits(board('a')), ...steps).past).toHaveLength(100)
  })

  it('is unchanged when everything is as before', () => {
    const start = startEdits(board('ab'))
    expect(isChanged(start)).toBe(false)
    expect(isChanged(after(start, moveWidget(a, b)))).toBe(true)
    expect(isChanged(after(start, moveWidget(a, b), moveWidget(a, b)))).toBe(false)
    expect(after(start, moveWidget(a, a), configureWidget(a, heading('a')))).toBe(start)
    expect(isChanged(after(start, (draft) => ({ ...draft, name: 'Other' })))).toBe(true)
  })

  it('can be put onto what someone else has stored', () => {
    const mine = after(startEdits(board('ab')), configureWidget(a, heading('A')), addWidget(heading('n')))
    const theirs = board('bc', 5)
    const edits = onto(theirs, mine)
    expect(edits.base.version).toBe(5)
    expect(titles(edits)).toBe('Abn')
    expect(contentOf(edits.present).widgets.map(({ id }) => id)).toEqual([null, b, null])
    expect(new Set(edits.present.widgets.map(({ id }) => id)).size).toBe(3)
  })

  it('knows the widgets whose data differ from what is stored', () => {
    const stored = {
      ...board(''),
      widgets: [1, 2, 3].map((id, order) => ({ id, order, definition: tiles('t', [id]) })),
    }
    const wider = { ...tiles('renamed', [2]), size: { columns: 12, minHeightPx: 200 } }
    const edits = after(
      startEdits(stored),
      configureWidget(1, tiles('t', [1, 9])),
      configureWidget(2, wider),
      addWidget(tiles('new', [4])),
    )
    expect(ownDataIds(edits)).toEqual(new Set([1, -1]))
  })
})
