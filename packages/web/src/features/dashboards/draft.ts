import type { Dashboard, DashboardContent, Widget, WidgetDefinition } from '@leitstand/contract/dashboards'
import { moved } from './grid.ts'
import { hasSameData } from './widgets/index.ts'

/** A dashboard being edited. Widgets that are not saved yet have negative ids. */
export type Draft = Pick<Dashboard, 'name' | 'description' | 'parentDtwinId' | 'settings' | 'widgets'>

/** Steps that can be undone; older ones are forgotten. */
const stepsMax = 100

/** A draft and its history. */
export interface Edits {
  /** what is stored, at the time of the first change */
  base: Dashboard
  past: readonly Draft[]
  present: Draft
  future: readonly Draft[]
}

export function startEdits(base: Dashboard): Edits {
  const { name, description, parentDtwinId, settings, widgets } = base
  return { base, past: [], present: { name, description, parentDtwinId, settings, widgets }, future: [] }
}

/** Makes a change that can be undone. */
export function change(edits: Edits, to: (draft: Draft) => Draft): Edits {
  const present = to(edits.present)
  if (isSame(present, edits.present)) return edits
  return { ...edits, past: [...edits.past, edits.present].slice(-stepsMax), present, future: [] }
}

export function undo(edits: Edits): Edits {
  const present = edits.past.at(-1)
  if (!present) return edits
  return { ...edits, past: edits.past.slice(0, -1), present, future: [edits.present, ...edits.future] }
}

export function redo(edits: Edits): Edits {
  const [present, ...future] = edits.future
  if (!present) return edits
  return { ...edits, past: [...edits.past, edits.present], present, future }
}

/** Whether there is something to save. */
export function isChanged({ base, present }: Edits): boolean {
  return !isSame(present, startEdits(base).present)
}

const isSame = (a: Draft, b: Draft) => JSON.stringify(contentOf(a)) === JSON.stringify(contentOf(b))

/** @param position how many widgets are before it; absent: all */
export function addWidget(definition: WidgetDefinition, position?: number) {
  return (draft: Draft): Draft => {
    const id = Math.min(0, ...draft.widgets.map((widget) => widget.id)) - 1
    const place = position ?? draft.widgets.length
    return withWidgets(draft, draft.widgets.toSpliced(place, 0, { id, order: place, definition }))
  }
}

/** Adds a copy after a widget. */
export function copyWidget({ id, definition }: Widget) {
  return (draft: Draft): Draft =>
    addWidget(definition, draft.widgets.findIndex((widget) => widget.id === id) + 1)(draft)
}

export function configureWidget(id: number, definition: WidgetDefinition) {
  return (draft: Draft): Draft =>
    withWidgets(
      draft,
      draft.widgets.map((widget) => (widget.id === id ? { ...widget, definition } : widget)),
    )
}

export function removeWidget(id: number) {
  return (draft: Draft): Draft =>
    withWidgets(
      draft,
      draft.widgets.filter((widget) => widget.id !== id),
    )
}

/** Puts a widget in the place of another one. */
export function moveWidget(id: number, over: number) {
  return (draft: Draft): Draft => {
    const byId = new Map(draft.widgets.map((widget) => [widget.id, widget]))
    const order = moved([...byId.keys()], id, over)
    return withWidgets(
      draft,
      order.flatMap((each) => byId.get(each) ?? []),
    )
  }
}

const withWidgets = (draft: Draft, widgets: readonly Widget[]): Draft => ({
  ...draft,
  widgets: widgets.map((widget, order) => (widget.order === order ? widget : { ...widget, order })),
})

/** The input of the save operation. */
export function contentOf({ widgets, ...fields }: Draft): DashboardContent {
  return {
    ...fields,
    widgets: widgets.map(({ id, definition }) => ({ id: id < 0 ? null : id, definition })),
  }
}

/** Puts the draft on top of what someone else has saved; widgets they removed are added again. */
export function onto(theirs: Dashboard, edits: Edits): Edits {
  const known = new Set(theirs.widgets.map(({ id }) => id))
  let lowest = Math.min(0, ...edits.present.widgets.map(({ id }) => id))
  const widgets = edits.present.widgets.map((widget) => {
    if (widget.id < 0 || known.has(widget.id)) return widget
    lowest -= 1
    return { ...widget, id: lowest }
  })
  return { base: theirs, past: [], present: { ...edits.present, widgets }, future: [] }
}

/** Widgets whose data cannot be read by their id, because they are new or were changed. */
export function ownDataIds({ base, present }: Edits): Set<number> {
  const stored = new Map(base.widgets.map((widget) => [widget.id, widget.definition]))
  return new Set(
    present.widgets.flatMap(({ id, definition }) => {
      const before = stored.get(id)
      return before && hasSameData(before, definition) ? [] : [id]
    }),
  )
}
