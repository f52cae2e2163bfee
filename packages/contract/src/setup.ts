import * as z from 'zod'
import { Done, Id, operation } from './common.ts'
import { BackgroundJob } from './jobs.ts'
import { may } from './permissions.ts'

/** What an installation needs in its first hour, in the order of the guide. */
export const setupSteps = ['name', 'mail', 'legal', 'account', 'demo', 'connector'] as const
export const SetupStep = z.enum(setupSteps)
export type SetupStep = z.infer<typeof SetupStep>

/** What the demo city consists of; all of it is deleted. */
const DemoContents = z.object({
  accounts: z.int(),
  users: z.int(),
  virtualDevices: z.int(),
  twins: z.int(),
  rules: z.int(),
  connectors: z.int(),
  dashboards: z.int(),
})

/** What is not of the demo city and needs something of it. */
const DemoBlocker = z.object({
  kind: z.enum(['state', 'device', 'user', 'driver']),
  id: Id,
  title: z.string(),
})

export const setupLimits = { blockersMax: 20 } as const

const Demo = z.object({
  accountId: Id,
  name: z.string(),
  contents: DemoContents,
  /** it cannot be deleted while there are any; at most `setupLimits.blockersMax` */
  blockers: z.array(DemoBlocker),
  /** the job that deletes it, or has failed to */
  job: BackgroundJob.nullable(),
})
export type Demo = z.infer<typeof Demo>

/** What is done, as it is now: computed from what the installation has, never from clicks. */
const Setup = z.object({
  steps: z.array(
    z.object({
      key: SetupStep,
      isDone: z.boolean(),
      /** somebody decided that it is not needed; of `demo`: that the demo city is kept */
      isSkipped: z.boolean(),
    }),
  ),
  /** the guide is no longer offered on the home page */
  isPutAway: z.boolean(),
  /** the topmost account, which the steps are about */
  accountId: Id,
})
export type Setup = z.infer<typeof Setup>

const systemAdmins = may('super.system', 'manage')
const tags = ['setup']

/** The guide of the first hour. */
export const setup = {
  get: operation
    .meta({ rule: systemAdmins })
    .route({ method: 'GET', path: '/setup', tags, summary: 'Steps of the first hour' })
    .output(Setup),
  /** Skips steps or takes that back, and puts the guide away. What is absent stays as it is. */
  change: operation
    .meta({ rule: systemAdmins })
    .route({ method: 'PUT', path: '/setup', tags, summary: 'Skip steps, or put the guide away' })
    .input(
      z.object({
        skipped: z.partialRecord(SetupStep, z.boolean()).optional(),
        isPutAway: z.boolean().optional(),
      }),
    )
    .output(Setup),
  /** The demo city, with what deleting it would delete; null: there is none. */
  demo: operation
    .meta({ rule: systemAdmins })
    .route({ method: 'GET', path: '/setup/demo', tags, summary: 'The demo city' })
    .output(z.object({ demo: Demo.nullable() })),
  /** Called by the demo city itself: this account directly below the topmost one holds all of it. */
  noteDemo: operation
    .meta({ rule: systemAdmins })
    .route({ method: 'PUT', path: '/setup/demo', tags, summary: 'Name the account of the demo city' })
    .input(z.object({ accountId: Id }))
    .output(Done),
  /**
   * Deletes the demo city in a background job; it is not built again at the next start.
   * Refused with `DEMO_NOT_FOUND`, `DEMO_IN_USE`, and `DEMO_CHANGED` when it has other devices than the caller saw.
   */
  removeDemo: operation
    .meta({ rule: systemAdmins })
    .route({ method: 'DELETE', path: '/setup/demo', tags, summary: 'Delete the demo city' })
    .input(
      z.object({
        accountId: z.coerce.number().pipe(Id),
        /** number of its devices, as seen by the caller */
        virtualDevices: z.coerce.number().int().min(0),
      }),
    )
    .output(BackgroundJob),
}
