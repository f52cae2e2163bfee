import type { DeadLetter, DeadLetterSelection } from '@leitstand/contract/letters'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { os } from '../../platform/http/implement.ts'
import { recordActivity } from '../activity/index.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import { filterOf, type ReplayParams } from './replay/job.ts'
import { countLetters, deleteLetters, findLetter, type LetterRow, listLetters } from './store.ts'

interface Tools {
  ctx: Context
  connectors: ConnectorsFeature
  jobs: JobsFeature
}

/** Operations on dead letters: list, replay, delete. */
export function letterRoutes(tools: Tools) {
  const { ctx, connectors } = tools
  const { db } = ctx
  return {
    list: os.letters.list.handler(async ({ input, context: { caller } }) => {
      const { id, ...filter } = input
      await connectors.requireConnector(caller, id)
      const { items, ...page } = await listLetters(db, id, filter)
      const refusals = await connectors.refusalsOf(id)
      return {
        ...page,
        items: items.map(present),
        refusals: refusals.map((each) => ({ ...each, lastAt: each.lastAt.toISOString() })),
        offset: input.offset,
        limit: input.limit,
      }
    }),
    get: os.letters.get.handler(async ({ input, context: { caller } }) => {
      await connectors.requireConnector(caller, input.id)
      const letter = await findLetter(db, input.id, input.letterId)
      if (letter === undefined) throw new AppError('DEAD_LETTER_NOT_FOUND')
      return present(letter)
    }),
    replay: os.letters.replay.handler(({ input, context: { caller } }) => replay(tools, caller, input)),
    delete: os.letters.delete.handler(async ({ input, context: { caller } }) => ({
      deleted: await remove(tools, caller, input),
    })),
  }
}

/** What a replay of everything a connector has refused needs, for other features. */
export function replaying(tools: Tools) {
  const everything = { filter: {} } as const
  return {
    /** @throws AppError CONNECTOR_NOT_FOUND */
    count: async (caller: Caller, id: number): Promise<{ name: string; count: number }> => {
      const { name } = await tools.connectors.requireConnector(caller, id)
      return { name, count: (await countLetters(tools.ctx.db, id, filterOf(everything))).count }
    },
    /** Starts the job. @throws AppError CONNECTOR_NOT_FOUND, DEAD_LETTER_NOT_FOUND */
    start: (caller: Caller, id: number) => replay(tools, caller, { id, selection: everything }),
  }
}

interface Selected {
  id: number
  selection: DeadLetterSelection
}

async function replay({ ctx, connectors, jobs }: Tools, caller: Caller, { id, selection }: Selected) {
  const { name, accountId, scopeId } = await connectors.requireConnector(caller, id)
  const { count, newestId } = await countLetters(ctx.db, id, filterOf(selection))
  if (count === 0) throw new AppError('DEAD_LETTER_NOT_FOUND')
  const params: ReplayParams = { connectorId: id, selection, untilId: newestId }
  return jobs.create(
    caller,
    {
      type: 'dead-letters-replay',
      accountId,
      scopeId,
      title: name,
      resourceType: 'connector',
      resourceId: id,
      params: JSON.parse(JSON.stringify(params)),
      total: count,
      demands: {
        permissions: [{ subject: 'all', action: 'manage' }],
        scopeIds: [scopeId],
        everywhere: true,
      },
    },
    { letters: count, ...shown(selection) },
  )
}

/** @returns how many letters were deleted */
async function remove(tools: Tools, caller: Caller, { id, selection }: Selected): Promise<number> {
  const { name, accountId } = await tools.connectors.requireConnector(caller, id)
  return tools.ctx.db.transaction().execute(async (tx) => {
    const deleted = await deleteLetters(tx, id, filterOf(selection))
    if (deleted > 0) {
      await recordActivity(tx, caller, {
        action: 'delete-dead-letters',
        subject: 'Connector',
        objectId: id,
        objectTitle: name,
        accountId,
        changes: { letters: deleted, ...shown(selection) },
        isChange: false,
      })
    }
    return deleted
  })
}

/** The selection as shown in the activity log; a thousand ids would not help the reader. */
function shown(selection: DeadLetterSelection): Record<string, unknown> {
  return 'ids' in selection ? { selected: selection.ids.length } : { filter: selection.filter }
}

function present(letter: LetterRow): DeadLetter {
  const { meta, receivedAt, lastAttemptAt, ...rest } = letter
  return {
    ...rest,
    receivedAt: receivedAt.toISOString(),
    lastAttemptAt: lastAttemptAt?.toISOString() ?? null,
    topic: meta.topic ?? null,
    preset: meta.preset ?? null,
    stage: meta.stage ?? 'message',
    replayable: meta.cut !== true,
  }
}
