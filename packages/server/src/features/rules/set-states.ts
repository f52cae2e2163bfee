import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { SeriesFeature, ValueInput } from '../series/index.ts'
import { type KnownExecution, type RecordedAction, updateActions } from './store/pipeline.ts'

/**
 * Sets the states that executions have left to do, with the time of the execution: writing the same value at the same
 * time again changes nothing, so this may be repeated until it is marked as done. A value that is refused (wrong type,
 * state gone) is noted in the execution; every other failure is thrown and the event comes again.
 */
export async function setStates(
  db: Executor,
  series: Pick<SeriesFeature, 'write'>,
  executions: readonly KnownExecution[],
): Promise<void> {
  const waiting = executions.filter(({ actions }) => actions.some(({ pending }) => pending))
  if (waiting.length === 0) return
  const todo = waiting.flatMap(({ at, actions }) =>
    actions.flatMap((action, index) => {
      if (!action.pending || action.stateId === undefined || action.value === undefined) return []
      const { stateId, value } = action
      return [{ actions, index, input: { stateId, value, time: at } }]
    }),
  )
  const all = await tryWrite(
    series,
    todo.map(({ input }) => input),
  )
  for (const { actions, index, input } of todo) {
    // One refused value refuses the whole write: then each goes by itself.
    const refused = all === null ? null : await tryWrite(series, [input])
    actions[index] = done(actions[index] as RecordedAction, refused)
  }
  await updateActions(db, waiting)
}

async function tryWrite(
  series: Pick<SeriesFeature, 'write'>,
  inputs: readonly ValueInput[],
): Promise<AppError | null> {
  try {
    await series.write(inputs)
    return null
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error
    throw error
  }
}

function done(action: RecordedAction, refused: AppError | null): RecordedAction {
  const { pending: _, ...rest } = action
  if (refused === null) return { ...rest, ok: true, detail: JSON.stringify(action.value) }
  return { ...rest, ok: false, detail: `${refused.code}: ${refused.message}` }
}
