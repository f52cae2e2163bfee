import { overviewLimits, type StateFilter } from '@leitstand/contract/overview'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { tableReply } from '../../platform/tableFiles/index.ts'
import { readCsvLimit } from '../activity/index.ts'
import { titledFor } from '../drivers/index.ts'
import { listScopes, readScopes, type ScopesByCategory } from '../twins/index.ts'
import { listStateIds, loadStates, selectStates, sortStateIds } from './store/states.ts'
import { stateTable } from './table.ts'

interface Asked {
  search?: string | undefined
  filter?: StateFilter | undefined
}

/** The overview of states as rows and as a file. */
export function overviewRoutes({ db, clock }: Context) {
  const select = (scopes: ScopesByCategory, asked: Asked) => selectStates(db, scopes, asked, clock.now())

  return {
    fetch: os.stateOverview.fetch.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, orderBy, ...asked } = input
      const scopes = overviewScopes(caller)
      const page = { offset, limit, orderBy }
      const { ids, total, more } = await listStateIds(db, await select(scopes, asked), page)
      const found = await loadStates(db, scopes, ids)
      return { items: found.map((state) => titledFor(caller, state)), total, more, offset, limit }
    }),
    exportFile: os.stateOverview.exportFile.handler(async ({ input, context: { caller } }) => {
      const { format, language, columns, orderBy, ...asked } = input
      const { userId, accountId } = caller
      const allowed = await readCsvLimit(db, { userId, accountId })
      const rowsMax = Math.min(allowed ?? overviewLimits.fileRowsMax, overviewLimits.fileRowsMax)
      const scopes = overviewScopes(caller)
      // One extra row shows whether the file is incomplete.
      const page = { offset: 0, limit: rowsMax + 1, orderBy }
      const ids = await sortStateIds(db, await select(scopes, asked), page)
      const load = async (part: readonly number[]) =>
        (await loadStates(db, scopes, part)).map((state) => titledFor(caller, state))
      const day = clock.now().toISOString().slice(0, 10)
      const table = stateTable(load, ids, { language, rowsMax, wanted: columns })
      return tableReply(format, `states-${day}`, table)
    }),
  }
}

/**
 * Scopes whose states are listed for the caller. Each row includes title, tags and position of its twin, so callers
 * who may only read states must also be allowed to list the twin.
 */
export function overviewScopes(caller: Caller): ScopesByCategory {
  const listed = new Set(listScopes(caller))
  const statesOnly = caller.scopeIds('DigitalTwinStates', 'read').filter((id) => listed.has(id))
  return {
    digitalTwin: [...new Set([...readScopes(caller, 'digitalTwin'), ...statesOnly])],
    virtualDevice: readScopes(caller, 'virtualDevice'),
  }
}
