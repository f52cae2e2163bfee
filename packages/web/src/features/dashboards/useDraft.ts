import type { Dashboard, Widget, WidgetDefinition } from '@leitstand/contract/dashboards'
import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { isElsewhere, notifyUndo } from '../../ui/feedback/notifyUndo.ts'
import {
  addWidget,
  change,
  configureWidget,
  contentOf,
  copyWidget,
  type Draft,
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
import { dataKey } from './useData.ts'
import { kindText } from './widgets/index.ts'

const none: ReadonlySet<number> = new Set()

/**
 * The draft of a dashboard that is being edited: nothing is stored before `save`. Ctrl/Cmd+Z and
 * Ctrl/Cmd+Shift+Z undo and redo where no text field or dialog has these keys.
 */
export function useDraft(board: Dashboard, editing: boolean) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [edits, setEdits] = useState<Edits | null>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(undefined)
  const changed = edits !== null && isChanged(edits)
  // Also until the query has been updated after saving.
  const isAhead = edits !== null && (changed || edits.base.version > board.version)
  const storing = useRef(false)
  const notice = useRef<() => void>(() => undefined)
  // The draft starts with the first change. Until then the screen shows what others save.
  const steps = useMemo(() => {
    const step = (to: (edits: Edits) => Edits) => {
      // A change while saving would be lost.
      if (storing.current) return
      notice.current()
      setFailure(undefined)
      setEdits((before) => to(before && isCurrent(before, board) ? before : startEdits(board)))
    }
    const apply = (to: (draft: Draft) => Draft) => step((before) => change(before, to))
    return {
      undo: () => step(undo),
      redo: () => step(redo),
      /** Name, description, twin and settings. */
      set: (fields: Partial<Draft>) => apply((draft) => ({ ...draft, ...fields })),
      add: (definition: WidgetDefinition) => apply(addWidget(definition)),
      configure: (id: number, definition: WidgetDefinition) => apply(configureWidget(id, definition)),
      copy: (widget: Widget) => apply(copyWidget(widget)),
      move: (id: number, over: number) => apply(moveWidget(id, over)),
      /** Removes and offers undo. */
      remove: ({ id, definition }: Widget) => {
        apply(removeWidget(id))
        const title = definition.title || t(kindText(definition))
        notice.current = notifyUndo(t('dashboards.widgetRemoved', { title }), () => step(undo), 'button')
      },
    }
  }, [board, t])
  useUndoKeys(editing, steps)
  useEffect(() => () => notice.current(), [])

  const forget = () => {
    notice.current()
    setEdits(null)
    setFailure(undefined)
  }
  const store = async (prepare: () => Edits | Promise<Edits>): Promise<boolean> => {
    if (storing.current) return false
    storing.current = true
    setBusy(true)
    setFailure(undefined)
    try {
      const from = await prepare()
      const { id, version } = from.base
      const stored = await client.dashboards.save({ id, version, ...contentOf(from.present) })
      cache.setQueryData(api.dashboards.get.queryKey({ input: { id } }), stored)
      notice.current()
      setEdits(startEdits(stored as Dashboard))
      notifySuccess(t('common.saved'))
      void cache.invalidateQueries({ queryKey: dataKey(id) })
      void cache.invalidateQueries({ queryKey: api.dashboards.list.key() })
      return true
    } catch (error) {
      setFailure(error)
      return false
    } finally {
      storing.current = false
      setBusy(false)
    }
  }
  return {
    ...steps,
    /** the dashboard with the changes */
    shown: isAhead ? { ...board, ...edits.present } : board,
    /** widgets whose data are read by their definition */
    ownData: isAhead ? ownDataIds(edits) : none,
    changed,
    canUndo: edits !== null && edits.past.length > 0,
    canRedo: edits !== null && edits.future.length > 0,
    busy,
    failure,
    /** Someone else has saved the dashboard in the meantime. */
    isConflict: failure !== undefined && describeError(failure).code === 'VERSION_CONFLICT',
    /** @returns whether it was stored; otherwise `failure` says why not */
    save: async () => (edits === null || !changed ? true : store(() => edits)),
    /** Replaces what someone else has saved. */
    overwrite: async () => {
      if (edits === null) return true
      return store(async () => {
        const theirs = (await client.dashboards.get({ id: board.id })) as Dashboard
        const mine = onto(theirs, edits)
        setEdits(mine)
        return mine
      })
    },
    /** Dismisses the failure. */
    stay: () => setFailure(undefined),
    /** Drops the draft. */
    forget,
    /** Drops the draft and shows what is stored. */
    discard: () => {
      forget()
      void cache.invalidateQueries({ queryKey: api.dashboards.get.queryKey({ input: { id: board.id } }) })
    },
  }
}

export type DraftOfBoard = ReturnType<typeof useDraft>

const isCurrent = (edits: Edits, board: Dashboard) => isChanged(edits) || edits.base.version >= board.version

function useUndoKeys(enabled: boolean, steps: { undo: () => void; redo: () => void }): void {
  const latest: RefObject<typeof steps> = useRef(steps)
  useEffect(() => {
    latest.current = steps
  })
  useEffect(() => {
    if (!enabled) return undefined
    const onKey = (event: KeyboardEvent) => {
      const { ctrlKey, metaKey, shiftKey, key } = event
      if (!(ctrlKey || metaKey) || key.toLowerCase() !== 'z' || isElsewhere(event.target)) return
      event.preventDefault()
      if (shiftKey) latest.current.redo()
      else latest.current.undo()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [enabled])
}
