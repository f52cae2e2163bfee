import { message, table } from '../output.ts'
import { readConnectorStates } from '../store.ts'
import { reading } from '../types.ts'

/** Connectors of all accounts; those with a problem come first. */
export const connectors = reading(async ({ ctx }) => {
  const rows = await readConnectorStates(ctx.db)
  return rows.length === 0
    ? [message('nothing')]
    : [table(['id', 'name', 'kind', 'account', 'state', 'since', 'message'], rows)]
})
