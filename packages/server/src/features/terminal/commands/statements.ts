import { message, table } from '../output.ts'
import { withoutValues } from '../statements.ts'
import { hasStatistics, readRunningStatements, readSlowStatements } from '../store.ts'
import { reading } from '../types.ts'

/** Statements that take most time, or those that run now if the database keeps no statistics; without their values. */
export const statements = reading(async ({ ctx }) => {
  if (await hasStatistics(ctx.db)) {
    const rows = await readSlowStatements(ctx.db)
    return [table(['calls', 'meanMs', 'totalMs', 'statement'], rows.map(bare))]
  }
  const rows = await readRunningStatements(ctx.db)
  const running = message('runningOnly')
  return rows.length === 0
    ? [running, message('nothing')]
    : [running, table(['ms', 'state', 'waits', 'by', 'statement'], rows.map(bare))]
})

const bare = <Row extends { statement: string }>(row: Row): Row => ({
  ...row,
  statement: withoutValues(row.statement),
})
