import { type OverviewCsvColumn, overviewLimits, type StateFilter } from '@leitstand/contract/overview'
import type { Context } from '../../platform/context.ts'
import { streamOf } from '../../platform/csv.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { xlsxType } from '../../platform/xlsx.ts'
import { readCsvLimit } from '../activity/index.ts'
import { titledFor } from '../drivers/index.ts'
import { listScopes, readScopes, type ScopesByCategory } from '../twins/index.ts'
import { csvLines, xlsxPieces } from './files.ts'
import { listStateIds, loadStates, selectStates, sortStateIds } from './store/states.ts'

interface Asked {
  search?: string | undefined
  filter?: StateFilter | undefined
}

interface FileAsked extends Asked {
  language: 'de' | 'en'
  columns?: readonly OverviewCsvColumn[] | undefined
  orderBy: string
}

/** The overview of states as rows and as a file. */
export function overviewRoutes({ db, clock }: Context) {
  const select = (scopes: ScopesByCategory, asked: Asked) => selectStates(db, scopes, asked, clock.now())

  /** The states of a file, and how they are written. */
  async function fileOf(caller: Caller, { language, columns, orderBy, ...asked }: FileAsked) {
    const { userId, accountId } = caller
    const allowed = await readCsvLimit(db, { userId, accountId })
    const rowsMax = Math.min(allowed ?? overviewLimits.csvRowsMax, overviewLimits.csvRowsMax)
    const scopes = overviewScopes(caller)
    // One extra row shows whether the file is incomplete.
    const page = { offset: 0, limit: rowsMax + 1, orderBy }
    const ids = await sortStateIds(db, await select(scopes, asked), page)
    const load = async (part: readonly number[]) =>
      (await loadStates(db, scopes, part)).map((state) => titledFor(caller, state))
    const options = { language, rowsMax, wanted: columns }
    return { load, ids, options, day: clock.now().toISOString().slice(0, 10) }
  }

  return {
    fetch: os.stateOverview.fetch.handler(async ({ input, context: { caller } }) => {
      const { offset, limit, orderBy, ...asked } = input
      const scopes = overviewScopes(caller)
      const page = { offset, limit, orderBy }
      const { ids, total, more } = await listStateIds(db, await select(scopes, asked), page)
      const found = await loadStates(db, scopes, ids)
      return { items: found.map((state) => titledFor(caller, state)), total, more, offset, limit }
    }),
    exportCsv: os.stateOverview.exportCsv.handler(async ({ input, context: { caller } }) => {
      const { load, ids, options, day } = await fileOf(caller, input)
      return {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="states-${day}.csv"`,
        },
        body: streamOf(csvLines(load, ids, options)),
      }
    }),
    exportXlsx: os.stateOverview.exportXlsx.handler(async ({ input, context: { caller } }) => {
      const { load, ids, options, day } = await fileOf(caller, input)
      const sheet = options.language === 'de' ? 'Datenpunkte' : 'States'
      return {
        headers: {
          'content-type': xlsxType,
          'content-disposition': `attachment; filename="states-${day}.xlsx"`,
        },
        body: streamOf(xlsxPieces(load, ids, { ...options, sheet })),
      }
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
