import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { os } from '../../../platform/http/implement.ts'
import { readScopes } from '../../twins/index.ts'
import { countDevices, hasScopeIn, readGrowth } from '../store/statistics.ts'

const defaultPeriodMs = 90 * 86_400_000

/** Counts of devices, now and over a period. */
export function statisticsRoutes({ db, clock }: Context) {
  return {
    statistics: os.virtualdevice.statistics.handler(async ({ input, context: { caller } }) => {
      const scopeIds = readScopes(caller, 'virtualDevice')
      const counts = await countDevices(db, scopeIds, input.account_ids)
      if (!input.period) return counts
      const { start, end, steps } = input.period
      const range = { start: new Date(start), end: new Date(end), steps }
      return { ...counts, growth: await readGrowth(db, scopeIds, input.account_ids, range) }
    }),
    accountStatistics: os.virtualdevice.accountStatistics.handler(async ({ input, context: { caller } }) => {
      const { id, steps } = input
      const scopeIds = readScopes(caller, 'virtualDevice')
      if (!(await hasScopeIn(db, scopeIds, id))) throw new AppError('TENANT_NOT_FOUND', { id })
      const now = clock.now()
      const start = new Date(input.start ?? now.getTime() - defaultPeriodMs)
      const end = new Date(input.end ?? now)
      const counts = await countDevices(db, scopeIds, [id])
      return { ...counts, growth: await readGrowth(db, scopeIds, [id], { start, end, steps }) }
    }),
  }
}
