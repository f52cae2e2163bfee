import type { ErrorCode } from '@leitstand/contract/errors'
import { sql } from 'kysely'
import { AppError } from '../../platform/errors.ts'
import type { WithFiles } from '../objects/index.ts'
import { readScopes, writeScopes } from './policy.ts'
import { findObject } from './store/objects.ts'
import { objectForChange } from './twins.ts'

/** Files of digital twins or virtual devices. */
export function filesOf(category: 'digitalTwin' | 'virtualDevice', notFound: ErrorCode): WithFiles {
  return {
    as: category,
    column: 'twin_id',
    ids: sql`select id from twins where category = ${sql.lit(category)}`,
    mayChange: async (db, caller, id) => {
      const row = await findObject(db, category, readScopes(caller, category), id)
      if (!row) throw new AppError(notFound, { id })
      return writeScopes(caller, category).includes(row.scopeId)
    },
    lockForChange: (tx, caller, id) => objectForChange(tx, caller, category, id),
  }
}
