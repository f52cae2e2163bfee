import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Authenticate, AuthenticateKey } from '../../platform/http/api.ts'
import { Slots } from '../../platform/slots.ts'
import { scopesWithIntegration } from '../accounts/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { answerAll } from './answering.ts'
import { mountQueries } from './http.ts'
import { parseQuery } from './influxql/parser.ts'
import { reportingLimits } from './plan.ts'

/**
 * Limits on concurrent and waiting queries: a dashboard queries all its panels at once, and this must not
 * delay device traffic.
 */
const slotLimits = { runningMax: 3, waitingMax: 100 } as const

interface Parts {
  authenticate: Authenticate
  authenticateKey: AuthenticateKey
  series: SeriesFeature
}

/**
 * Time series for external programs, queried with InfluxQL; for accounts that have activated the integration.
 */
export function register(ctx: Context, { authenticate, authenticateKey, series }: Parts): void {
  const { db, clock } = ctx
  const slots = new Slots(slotLimits)
  mountQueries(ctx, {
    authenticate,
    authenticateKey,
    answer: async (caller, { q, epoch }) => {
      const scopeIds = await scopesWithIntegration(db, 'timeSeries', caller.scopeIds('InfluxDB', 'read'))
      if (scopeIds.length === 0) throw new AppError('INFLUX_NOT_ACTIVATED')
      const statements = parseQuery(q)
      return slots.run(async () => {
        const endMs = performance.now() + reportingLimits.timeMsMax
        const timeLeft = () => endMs - performance.now()
        const asking = { db, series, scopeIds, nowMs: clock.now().getTime(), epoch, timeLeft }
        return { results: await answerAll(asking, statements) }
      })
    },
  })
}
