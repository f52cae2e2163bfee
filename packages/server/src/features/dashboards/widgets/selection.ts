import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { Use } from '../../../platform/uses.ts'
import { visibleScopes } from '../../series/index.ts'
import type { BoardPlace } from '../store/boards.ts'
import { readTwins, type Selection } from '../store/data.ts'

interface SelectionOptions {
  parentTwinId?: number | undefined
  twinIds: readonly number[]
  tags?: readonly string[]
}

export function usesOfSelection({ parentTwinId, twinIds }: SelectionOptions): Use[] {
  const parents = parentTwinId === undefined ? [] : [parentTwinId]
  return [
    ...parents.map((id): Use => ({ kind: 'twin', id, note: 'below' })),
    ...twinIds.map((id): Use => ({ kind: 'twin', id, note: 'shows' })),
  ]
}

/** Without a parent or selected twins, a widget searches below the twin of its dashboard. */
export function toSelection(options: SelectionOptions, board: BoardPlace): Selection {
  const { twinIds, tags = [] } = options
  const inherited = twinIds.length === 0 ? board.parentTwinId : null
  return { parentTwinId: options.parentTwinId ?? inherited, twinIds, tags, accountId: board.accountId }
}

/** @throws AppError NO_PERMISSION when the caller may not see a twin that the widget refers to */
export async function selectionScopes(db: Executor, selection: Selection, caller: Caller) {
  const scopes = visibleScopes(caller)
  const ids = [...selection.twinIds, ...(selection.parentTwinId === null ? [] : [selection.parentTwinId])]
  const twins = await readTwins(db, ids, scopes)
  if (twins.some(({ visible }) => !visible)) {
    throw new AppError('NO_PERMISSION', undefined, 'a twin of this widget may not be seen')
  }
  return scopes
}
