import type { JsonValue } from '@leitstand/contract/common'
import type { Executor } from '../../../../platform/db/index.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { SeriesFeature, ValueInput } from '../../../series/index.ts'
import { type KnownExecution, type RecordedAction, updateActions } from '../../store/pipeline.ts'

/** A state that an execution still has to set. */
interface Todo {
  execution: KnownExecution
  index: number
  input: ValueInput
}

/**
 * Sets the pending states of executions, with the time of the execution, and marks them as done in the same
 * transaction: after a crash either both happened or neither, so no value is stored twice and wakes other
 * rules again. A refused value (wrong type, state deleted) is recorded in the execution; every other failure
 * is thrown and the event is retried.
 */
export async function setStates(
  db: Executor,
  series: Pick<SeriesFeature, 'write'>,
  executions: readonly KnownExecution[],
): Promise<void> {
  const todo = executions.flatMap((execution) =>
    execution.actions.flatMap(({ kind, pending, stateId, value }, index): Todo[] =>
      kind === 'set-state' && pending && stateId !== undefined && value !== undefined
        ? [{ execution, index, input: toInput(execution, stateId, value) }]
        : [],
    ),
  )
  if (todo.length === 0) return
  if ((await tryWrite(series, todo)) === null) return
  // One refused value fails the whole write, so write them one by one.
  for (const one of todo) {
    const refused = await tryWrite(series, [one])
    if (refused !== null) await updateActions(db, noted([one], refused))
  }
}

function toInput({ ruleId, at }: KnownExecution, stateId: number, value: JsonValue): ValueInput {
  return { stateId, value, time: at, source: { kind: 'rule', ruleId } }
}

async function tryWrite(
  series: Pick<SeriesFeature, 'write'>,
  todo: readonly Todo[],
): Promise<AppError | null> {
  const inputs = todo.map(({ input }) => input)
  try {
    await series.write(inputs, (tx) => updateActions(tx, noted(todo, null)))
    return null
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error
    throw error
  }
}

/**
 * The executions with updated results. The change is final: it is committed, or the whole event is retried.
 */
function noted(todo: readonly Todo[], refused: AppError | null): KnownExecution[] {
  for (const { execution, index } of todo)
    execution.actions[index] = done(execution.actions[index] as RecordedAction, refused)
  return [...new Set(todo.map(({ execution }) => execution))]
}

function done(action: RecordedAction, refused: AppError | null): RecordedAction {
  const { pending: _, ...rest } = action
  if (refused === null) return { ...rest, ok: true, detail: JSON.stringify(action.value) }
  return { ...rest, ok: false, detail: `${refused.code}: ${refused.message}` }
}
