import type { Context } from '../../platform/context.ts'
import { valuesStored } from '../../topics/index.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { readScopes } from '../twins/index.ts'
import { RuleCache } from './cache.ts'
import { sumUpHeld } from './mails/held.ts'
import { mountStop } from './mails/http.ts'
import { Recipients } from './mails/recipients.ts'
import { RuleMails } from './mails/send.ts'
import { ruleMailRoutes, ruleRoutes } from './routes.ts'
import { RuleRunner } from './run.ts'
import { findRule } from './store/definitions.ts'
import { executionsSince } from './store/executions.ts'
import { deleteOldExecutions } from './store/pipeline.ts'

/** Executions kept per rule; older ones are deleted by a job. */
const executionsKept = 1_000
const cleanQueue = 'rules.clean'
const heldQueue = 'rules.held'
const cleanCron = '*/10 * * * *'
/** Executions told again to a reader that comes back; with more it reads the list. */
const backfillMax = 500

export { ruleObjects } from './objects.store.ts'
export { checkScripts, checkTargets } from './save.ts'
export { freeTemplateRules, listOwnTitles, type RuleFields } from './store/definitions.ts'
export { keepTemplateRules, type TemplatedRule } from './templated.ts'
export { checkDraft, type Issue } from './validate.ts'

export type RulesFeature = ReturnType<typeof register>

/**
 * Rules: stored values that are current wake them, they look at metrics, decide by a condition tree and act. Late values
 * never wake a rule: they go into the history, where the next evaluation sees them.
 */
export function register(ctx: Context, { series, alarms }: { series: SeriesFeature; alarms: AlarmsFeature }) {
  const cache = new RuleCache(ctx)
  const recipients = new Recipients(ctx)
  const mails = new RuleMails(ctx, recipients)
  mountStop(ctx, recipients)
  const runner = new RuleRunner(ctx, { cache, alarms, series, mails })
  series.follow((stateId) => cache.mayWake(stateId))
  ctx.events.consume({
    name: 'rules',
    topics: [valuesStored],
    partition: ({ accountId }) => accountId ?? 0,
    handle: (events) => runner.handle(events),
  })

  const clean = async () => void (await deleteOldExecutions(ctx.db, executionsKept))
  ctx.jobs.work(cleanQueue, clean, { pollSeconds: 60 })
  ctx.jobs.schedule(cleanQueue, cleanCron)

  const sumUp = async () => void (await sumUpHeld(ctx, recipients))
  ctx.jobs.work(heldQueue, sumUp, { pollSeconds: 60 })
  ctx.jobs.schedule(heldQueue, cleanCron)

  ctx.live.topic('rule', {
    table: 'rules',
    authorise: async (caller, id) =>
      id !== null && (await findRule(ctx.db, id, readScopes(caller, 'digitalTwin'))) !== undefined,
    backfill: async (_caller, id, sinceMs) => {
      const ruleId = id as number
      const executions = await executionsSince(ctx.db, ruleId, new Date(sinceMs), backfillMax)
      if (executions.length === backfillMax) return null
      const topic = `rule:${ruleId}` as const
      return executions.map(({ result, at }) => ({
        kind: 'execution',
        topic,
        ruleId,
        result,
        timeMs: at.getTime(),
      }))
    },
  })

  return {
    routes: {
      ddr: ruleRoutes({ ctx, series, alarms, recipients, changed: () => cache.clear() }),
      ruleMail: ruleMailRoutes(recipients),
    },
    /** Sums up mails that were held back, as every few minutes; for tests. */
    sumUpHeld: sumUp,
    /** The consumer of `values.stored`, for replays and tests. */
    handle: runner.handle.bind(runner),
  }
}
