import type { BackgroundJob } from '@leitstand/contract/jobs'
import { type Demo, type Setup, type SetupStep, setupSteps } from '@leitstand/contract/setup'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { BrandingFeature } from '../branding/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { removalKind } from './removal.ts'
import {
  isSecondLevel,
  readBlockers,
  readContents,
  readDecisions,
  readOwn,
  readTopmost,
  storeDecisions,
} from './store.ts'

interface Tools {
  branding: Pick<BrandingFeature, 'missingPages'>
  people: Pick<PeopleFeature, 'endDemoSession'>
  jobs: Pick<JobsFeature, 'define' | 'create' | 'find'>
  connectors: Pick<ConnectorsFeature, 'remove'>
}

/** The guide of the first hour, and the demo city that a new installation starts with. */
export function registerSetup(ctx: Context, { branding, people, jobs, connectors }: Tools) {
  const { db, clock } = ctx
  jobs.define(removalKind({ ctx, connectors }))

  async function read(): Promise<Setup> {
    const [{ skipped, isPutAway, demoAccountId }, { id: accountId }] = await Promise.all([
      readDecisions(db),
      readTopmost(db),
    ])
    const [missing, own] = await Promise.all([branding.missingPages(accountId), readOwn(db, demoAccountId)])
    const isDone: Readonly<Record<SetupStep, boolean>> = {
      name: !missing.name,
      mail: !missing.mailServer,
      legal: !missing.legal,
      account: own.hasAccount,
      demo: demoAccountId === null,
      connector: own.hasConnector,
    }
    const steps = setupSteps.map((key) => ({
      key,
      isDone: isDone[key],
      isSkipped: !isDone[key] && skipped.includes(key),
    }))
    return { steps, isPutAway, accountId }
  }

  const note = (
    tx: Parameters<typeof recordActivity>[0],
    caller: Caller,
    action: string,
    changes: object,
  ) => {
    const about = { subject: 'Setup', objectId: null, objectTitle: '', accountId: null }
    return recordActivity(tx, caller, { action, ...about, changes })
  }

  async function readDemo(): Promise<Demo | null> {
    const { demoAccountId, demoJobId } = await readDecisions(db)
    const found = demoAccountId === null ? undefined : await readContents(db, demoAccountId)
    if (demoAccountId === null || !found) return null
    const job = demoJobId === null ? undefined : await jobs.find(demoJobId)
    const blockers = await readBlockers(db, demoAccountId)
    return { accountId: demoAccountId, ...found, blockers, job: job ?? null }
  }

  /** @throws AppError DEMO_NOT_FOUND, DEMO_CHANGED, DEMO_IN_USE */
  async function remove(
    caller: Caller,
    { accountId, virtualDevices }: { accountId: number; virtualDevices: number },
  ): Promise<BackgroundJob> {
    const topmost = await readTopmost(db)
    return db.transaction().execute(async (tx) => {
      const { demoAccountId, demoJobId } = await readDecisions(tx, { lock: true })
      const found = demoAccountId === null ? undefined : await readContents(tx, demoAccountId)
      if (!found || demoAccountId !== accountId) throw new AppError('DEMO_NOT_FOUND')
      const running = demoJobId === null ? undefined : await jobs.find(demoJobId, tx)
      if (running?.stoppedAt === null) return running
      if (found.contents.virtualDevices !== virtualDevices) throw new AppError('DEMO_CHANGED')
      const blockers = await readBlockers(tx, accountId)
      if (blockers.length > 0) throw new AppError('DEMO_IN_USE', { blockers })
      const { accounts, twins, connectors } = found.contents
      await people.endDemoSession(tx)
      const job = await jobs.create(
        caller,
        {
          type: 'demo-remove',
          title: found.name,
          total: accounts + virtualDevices + twins + connectors,
          accountId: topmost.id,
          scopeId: topmost.scopeId,
          resourceType: 'account',
          resourceId: topmost.id,
          params: { accountId },
          demands: {
            permissions: [{ subject: 'super.system', action: 'manage' }],
            scopeIds: [topmost.scopeId],
            everywhere: true,
          },
        },
        { ...found.contents },
        [],
        tx,
      )
      await storeDecisions(tx, { demoRemovedAt: clock.now(), demoJobId: job.id })
      return job
    })
  }

  const routes = {
    setup: {
      get: os.setup.get.handler(read),
      change: os.setup.change.handler(async ({ input, context: { caller } }) => {
        await db.transaction().execute(async (tx) => {
          const before = await readDecisions(tx, { lock: true })
          const skipped = setupSteps.filter((step) => input.skipped?.[step] ?? before.skipped.includes(step))
          const isPutAway = input.isPutAway ?? before.isPutAway
          await storeDecisions(tx, { skipped, isPutAway })
          await note(tx, caller, 'update', {
            ...(skipped.join() === before.skipped.join() ? {} : { skipped: [before.skipped, skipped] }),
            ...(isPutAway === before.isPutAway ? {} : { isPutAway: [before.isPutAway, isPutAway] }),
          })
        })
        return read()
      }),
      demo: os.setup.demo.handler(async () => ({ demo: await readDemo() })),
      noteDemo: os.setup.noteDemo.handler(async ({ input: { accountId }, context: { caller } }) => {
        await db.transaction().execute(async (tx) => {
          if (!(await isSecondLevel(tx, accountId))) throw new AppError('TENANT_NOT_FOUND', { id: accountId })
          const { demoAccountId } = await readDecisions(tx, { lock: true })
          if (demoAccountId === accountId) return
          await storeDecisions(tx, { demoAccountId: accountId, demoRemovedAt: null, demoJobId: null })
          await note(tx, caller, 'update', { demoAccountId: [demoAccountId, accountId] })
        })
        return { ok: true as const }
      }),
      removeDemo: os.setup.removeDemo.handler(({ input, context: { caller } }) => remove(caller, input)),
    },
  }
  return { routes }
}

/** Whether the demo city was deleted, and is not to be built again. */
export async function isDemoRemoved(db: Executor): Promise<boolean> {
  return (await readDecisions(db)).demoRemovedAt !== null
}
