import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import type { ChangedIds } from '../../platform/db/notices.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { AlarmsFeature } from '../alarms/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { DownlinksFeature } from '../downlinks/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import type { TicketsFeature } from '../tickets/index.ts'
import { readScopes, type TwinsFeature } from '../twins/index.ts'
import { createDeliveries } from './actions/deliveries/index.ts'
import type { DeliveryContent } from './actions/deliveries/store.ts'
import { sumUpHeld } from './actions/email/held.ts'
import { mountStop } from './actions/email/http.ts'
import { mailAddress, Recipients } from './actions/email/recipients.ts'
import { RuleMails, type WrittenMail } from './actions/email/send.ts'
import { ruleMails } from './actions/email/texts.ts'
import { createRunners } from './actions/index.ts'
import { listSubscriptions } from './actions/push/store.ts'
import { pushRoutes } from './actions/push/subscriptions.ts'
import { RuleCache } from './cache.ts'
import { addRule, type RuleOwner } from './change.ts'
import { RuleClock } from './clock.ts'
import { consumeEvents } from './consume.ts'
import { watchFences } from './fences/watch.ts'
import { RuleFiguresCounter } from './figures.ts'
import { HeavyRules } from './heavy.ts'
import { keepTwins } from './many.ts'
import { pastKind } from './past/job.ts'
import { pastRoutes } from './past/routes.ts'
import { QuietResults } from './quiet.ts'
import { ruleMailRoutes, ruleRoutes } from './routes.ts'
import { RuleRunner } from './run.ts'
import { readOutcomes, Settling } from './settling.ts'
import { handedOver, type Outcomes } from './standing.ts'
import { findRule, type RuleFields } from './store/definitions.ts'
import { executionsSince } from './store/executions.ts'
import { deleteOldExecutions, type RecordedAction } from './store/pipeline.ts'
import { type KeptRules, keepRules, type WantedRules } from './synced.ts'
import { WindowCache } from './windows/cache.ts'

/** Executions kept per rule, and of a rule for many per twin; a job deletes older ones. */
export const executionsKept = 1_000
export const executionsKeptEach = 100
const cleanQueue = 'rules.clean'
const heldQueue = 'rules.held'
const cleanCron = '*/10 * * * *'
/** Executions replayed to a reader that reconnects; if there are more, it reloads the list. */
const backfillMax = 500

export { actionStateKeys, actionWithOwnStates, checkActionStates } from './actions/index.ts'
export { changedFields } from './change.ts'
export { ruleObjects } from './objects.store.ts'
export { withOtherStates, withOwnStates } from './remap.ts'
export { checkConditionScript, checkScripts } from './save.ts'
export { handedOver, type Outcomes } from './standing.ts'
export {
  findRule,
  listOwnRules,
  listRuleIds,
  listRulesOf,
  type RuleFields,
} from './store/definitions.ts'
export { toAction } from './store/executions.ts'
export type { RecordedAction } from './store/pipeline.ts'
export { freeTemplateRules, keepTemplateRules, type TemplatedRule } from './templated.ts'
export type { Issue } from './types.ts'
export { usesOfRule } from './uses.ts'
export { checkDraft } from './validate.ts'
export type { Woken } from './wakes.ts'

/** A message in browsers. */
type BrowserMessage = Omit<DeliveryContent['push'], 'subscriptionId'>
type Published = DeliveryContent['connector-command']

export type RulesFeature = ReturnType<typeof register>

/**
 * Rules: woken by new current values, they read metrics, evaluate a condition tree and run actions. Late
 * values never wake a rule: they go into the history, where the next evaluation sees them.
 */
export function register(
  ctx: Context,
  {
    series,
    jobs,
    twins,
    alarms,
    tickets,
    connectors,
    downlinks,
  }: {
    series: SeriesFeature
    jobs: JobsFeature
    twins: Pick<TwinsFeature, 'followMoves'>
    tickets: TicketsFeature
    alarms: AlarmsFeature
    connectors: ConnectorsFeature
    downlinks: DownlinksFeature
  },
) {
  const windows = new WindowCache({ db: ctx.db, series })
  const cache = new RuleCache(ctx, (stateIds) => windows.forget(stateIds))
  const recipients = new Recipients(ctx)
  mountStop(ctx, recipients)
  ctx.mail.register(ruleMails)
  const mails = new RuleMails(ctx, recipients)
  const settling = new Settling({ ctx, downlinks })
  const deliveries = createDeliveries(ctx, { connectors, ended: () => settling.wake() })
  const runners = createRunners({
    ctx,
    series,
    alarms,
    tickets,
    recipients,
    connectors,
    deliveries,
    downlinks,
  })
  const figures = new RuleFiguresCounter(ctx)
  const quiet = new QuietResults(ctx)
  const heavy = new HeavyRules(ctx, {
    run: (wakes) => runner.run(wakes),
    read: (wakes) => runner.read(wakes),
  })
  const runner: RuleRunner = new RuleRunner(ctx, { cache, series, windows, runners, figures, quiet, heavy })
  const handle = consumeEvents({ ctx, series, cache, windows, heavy, run: runner.run.bind(runner) })
  heavy.consume()
  watchFences(ctx, twins)
  const clock = new RuleClock(ctx, runners)
  const changed = (ids: ChangedIds = '*') => {
    cache.forget(ids)
    clock.wake()
  }

  const keeper = keepTwins(ctx, alarms)

  jobs.define(pastKind(ctx))

  const clean = async () => {
    await deleteOldExecutions(ctx.db, executionsKept, executionsKeptEach)
    await figures.clean()
  }
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
      await quiet.write()
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
      ddr: {
        ...ruleRoutes({ ctx, series, alarms, recipients, runners, downlinks, quiet, changed }),
        ...pastRoutes({ ctx, jobs }),
      },
      ruleMail: ruleMailRoutes(recipients),
      push: pushRoutes(ctx),
    },
    /** Stores a rule that a feature above has made; call `changed` once it is committed. */
    add: (tx: Executor, caller: Caller, twin: RuleOwner, fields: RuleFields): Promise<number> =>
      addRule({ ctx, alarms, runners }, tx, { caller, twin }, fields),
    /** Makes the rules of a twin match others, see `keepRules`; then call `changed` and announce the alarms. */
    keep: (tx: Executor, caller: Caller, twin: RuleOwner, wanted: WantedRules): Promise<KeptRules> =>
      keepRules({ ctx, alarms, runners }, tx, { caller, twin }, wanted),
    changed,
    /** Queues a message for each browser of a user, in this transaction; then call `wakeDeliveries`. */
    sendToBrowsers: async (
      tx: Executor,
      { accountId, userId, ...message }: { accountId: number; userId: number } & BrowserMessage,
    ): Promise<void> => {
      const browsers = await listSubscriptions(tx, [userId])
      await deliveries.add(
        tx,
        browsers.map(({ id: subscriptionId }) => ({
          kind: 'push',
          accountId,
          connectorId: null,
          content: { subscriptionId, ...message },
        })),
      )
    },
    /** Queues JSON for a webhook of an account, in this transaction; then call `wakeDeliveries`. */
    sendToWebhook: async (
      tx: Executor,
      { accountId, connectorId, content }: { accountId: number; connectorId: number; content: object },
    ): Promise<void> => {
      const body = JSON.stringify(content)
      const message = { contentType: 'application/json', body, isTest: false }
      await deliveries.add(tx, [{ kind: 'webhook', accountId, connectorId, content: message }])
    },
    /** Queues a message that a connector of an account publishes, in this transaction; then call `wakeDeliveries`. */
    publish: async (
      tx: Executor,
      { accountId, connectorId, ...content }: { accountId: number; connectorId: number } & Published,
    ): Promise<void> => {
      await deliveries.add(tx, [{ kind: 'connector-command', accountId, connectorId, content }])
    },
    /** Sends a mail that a feature above has written, see `RuleMails.write`. */
    writeMail: (tx: Executor, mail: WrittenMail) => mails.write(tx, mail),
    /** Asks recipients outside the account whether they want mails, each once. */
    introduce: (
      tx: Executor,
      caller: Caller,
      accountId: number,
      addresses: readonly string[],
    ): Promise<void> => recipients.introduce(tx, caller, accountId, [...new Set(addresses.map(mailAddress))]),
    wakeDeliveries: (): void => deliveries.wake(),
    /** What became of what executions handed over. @param mayRead accounts whose mails may be read */
    outcomesOf: (actions: readonly RecordedAction[], mayRead: readonly number[]): Promise<Outcomes> =>
      readOutcomes({ ctx, downlinks }, handedOver(actions), mayRead),
    /** Writes evaluations that are still in memory only, before the history is read. */
    writeQuiet: (): Promise<void> => quiet.write(),
    /** The windows in memory; for tests. */
    windows: windows as Pick<WindowCache, 'answer' | 'size'>,
    /** Sends the summaries of held-back mails that are otherwise sent every few minutes; for tests. */
    sumUpHeld: sumUp,
    /** The consumer of events, for replays and tests. */
    handle,
    startOnEach: async (): Promise<void> => {
      figures.start()
      quiet.start()
    },
    stopOnEach: async (): Promise<void> => {
      await figures.stop()
      await quiet.stop()
    },
    start: async (): Promise<void> => {
      keeper.start()
      clock.start()
      deliveries.start()
      settling.start()
    },
    /** Finds the twins of rules, wakes the rules that are due, sends what waits and notes what became of it; for tests. */
    drain: async (): Promise<void> => {
      await keeper.look()
      await clock.settle()
      await deliveries.settle()
      await settling.settle()
      await figures.write()
      await quiet.write()
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await keeper.stop()
      await clock.stop()
      await deliveries.stop()
      await settling.stop()
    },
  }
}
