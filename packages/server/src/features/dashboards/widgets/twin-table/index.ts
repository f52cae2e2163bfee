import type { WidgetOf } from '@leitstand/contract/dashboards/kinds'
import { titledFor } from '../../../drivers/index.ts'
import { readCommonKeys, readTable } from '../../store/data.ts'
import { selectionScopes, toSelection, usesOfSelection } from '../selection.ts'
import type { Widget } from '../types.ts'

/** Maximum columns of a table without configured columns. */
const commonKeysMax = 8

export const twinTable: Widget<WidgetOf<'twin-table'>> = {
  check: () => [],
  uses: ({ twinTableOptions }) => usesOfSelection(twinTableOptions),
  async read({ twinTableOptions: options }, { caller, board }, { db }) {
    const selection = toSelection(options, board)
    const scopes = await selectionScopes(db, selection, caller)
    const named = options.stateKeys
    const keys = named.length > 0 ? named : await readCommonKeys(db, selection, scopes, commonKeysMax)
    const table = await readTable(db, selection, scopes, [...new Set(keys)], options.limit)
    return { table: { ...table, columns: table.columns.map((column) => titledFor(caller, column)) } }
  },
  follows({ twinTableOptions: options }, place) {
    const keys = options.stateKeys.length === 0 ? 'all' : options.stateKeys
    return [{ selection: toSelection(options, place), keys }]
  },
}
