import type { TwinColumn } from '@leitstand/contract/bulkDuplicate'
import type { CopyParts } from '@leitstand/contract/copies'
import type { CellFault } from '@leitstand/contract/jobs'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { chooser, findParents, inTurns } from '../../batches/index.ts'
import { findObject, listScopes, type ObjectRow, readScopes, writeScopes } from '../../twins/index.ts'
import type { CopyChanges } from '../copy.ts'
import { readTwinRow } from './row.ts'

/** A copy that a row defines. */
export interface RowCopy {
  title: string
  /** null: that of all copies */
  parentId: number | null
  changes: CopyChanges
}

export interface CheckedTwinRow {
  title: string
  faults: CellFault[]
  /** undefined with faults */
  copy: RowCopy | undefined
}

export interface TwinTable {
  header: readonly string[]
  rows: readonly (readonly string[])[]
  columns: readonly TwinColumn[]
}

/** Reads the twin that is copied. @throws AppError DTWIN_NOT_FOUND */
export async function requireTemplate(
  db: Executor,
  caller: Caller,
  id: number,
  parts: CopyParts,
): Promise<ObjectRow> {
  const row = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (!row) throw new AppError('DTWIN_NOT_FOUND', { id })
  return parts.referenceIds ? row : { ...row, referenceIds: [] }
}

/**
 * Reads rows and resolves their parents.
 * @param keep what is kept of each row; changes of many thousand rows would be large
 */
export async function checkTwinRows<T>(
  db: Executor,
  caller: Caller,
  { accountId, template }: { accountId: number; template: ObjectRow },
  { header, rows, columns }: TwinTable,
  keep: (row: CheckedTwinRow) => T,
): Promise<T[]> {
  const at = columns.find(({ target }) => target === 'parent')?.column
  const names = at === undefined ? [] : rows.map((cells) => (cells[at] ?? '').toLowerCase())
  const writable = writeScopes(caller, 'digitalTwin')
  const scopeIds = [...new Set([...listScopes(caller), ...writable])]
  const parents = await findParents(db, { accountId, scopeIds }, [...new Set(names)])
  const scopeOf = new Map(parents.map(({ id, scopeId }) => [id, scopeId]))
  const parentOf = chooser(parents)
  return inTurns(rows, (cells) => {
    const { title, changes, parent: name, faults } = readTwinRow(cells, header, columns, template)
    const parent = parentOf(name)
    const code = parentFault(parent, (id) => writable.includes(scopeOf.get(id) ?? 0))
    if (code !== null) faults.push({ code, column: header[at ?? 0] ?? null })
    const copy =
      changes === undefined || faults.length > 0
        ? undefined
        : { title, changes, parentId: typeof parent === 'number' ? parent : null }
    return keep({ title, faults, copy })
  })
}

function parentFault(
  parent: number | undefined | 'unknown' | 'ambiguous',
  isWritable: (id: number) => boolean,
): string | null {
  if (parent === undefined) return null
  if (parent === 'unknown') return 'DTWIN_NOT_FOUND'
  if (parent === 'ambiguous') return 'AMBIGUOUS'
  return isWritable(parent) ? null : 'NO_PERMISSION'
}
