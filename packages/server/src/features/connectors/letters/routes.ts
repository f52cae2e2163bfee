import type { DeadLetter, DeadLetterSelection } from '@leitstand/contract/bridge'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { os } from '../../../platform/http/implement.ts'
import { recordActivity } from '../../activity/index.ts'
import { deadLetters, type LetterRow } from '../../ingest/index.ts'
import type { JobsFeature } from '../../jobs/index.ts'
import { requireConnector } from '../connectors.ts'
import { listRefusals } from '../store/journal.ts'
import type { ConnectorTools } from '../tools.ts'
import { filterOf, type ReplayParams } from './job.ts'

/** Operations on dead letters: list, replay, delete. */
export function letterRoutes(tools: ConnectorTools, jobs: JobsFeature) {
  const { ctx, journal } = tools
  const { db } = ctx
  return {
    deadLetters: os.bridge.deadLetters.handler(async ({ input, context: { caller } }) => {
      const { id, ...filter } = input
      await requireConnector(tools, caller, id)
      await journal.flush()
      const { items, ...page } = await deadLetters.listLetters(db, id, filter)
      const refusals = await listRefusals(db, id)
      return {
        ...page,
        items: items.map(present),
        refusals: refusals.map((each) => ({ ...each, lastAt: each.lastAt.toISOString() })),
        offset: input.offset,
        limit: input.limit,
      }
    }),
    deadLetter: os.bridge.deadLetter.handler(async ({ input, context: { caller } }) => {
      await requireConnector(tools, caller, input.id)
      const letter = await deadLetters.findLetter(db, input.id, input.letterId)
      if (letter === undefined) throw new AppError('DEAD_LETTER_NOT_FOUND')
      return present(letter)
    }),
    deadLettersReplay: os.bridge.deadLettersReplay.handler(({ input, context: { caller } }) =>
      replay(tools, jobs, caller, input),
    ),
    deadLettersDelete: os.bridge.deadLettersDelete.handler(async ({ input, context: { caller } }) => ({
      deleted: await remove(tools, caller, input),
    })),
  }
}

interface Selected {
  id: number
  selection: DeadLetterSelection
}

async function replay(tools: ConnectorTools, jobs: JobsFeature, caller: Caller, { id, selection }: Selected) {
  const { name, accountId, scopeId } = await requireConnector(tools, caller, id)
  const { count, newestId } = await deadLetters.countLetters(tools.ctx.db, id, filterOf(selection))
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
async function remove(tools: ConnectorTools, caller: Caller, { id, selection }: Selected): Promise<number> {
  const { name, accountId } = await requireConnector(tools, caller, id)
  return tools.ctx.db.transaction().execute(async (tx) => {
    const deleted = await deadLetters.deleteLetters(tx, id, filterOf(selection))
    if (deleted > 0) {
      await recordActivity(tx, caller, {
        action: 'delete-dead-letters',
        subject: 'Connector',
        objectId: id,
        objectTitle: name,
        accountId,
        changes: { letters: deleted, ...shown(selection) },
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
