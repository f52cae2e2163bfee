import type { JsonValue } from '@leitstand/contract/common'
import type { Metric } from '@leitstand/contract/rules'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { apart } from '../../platform/scripts/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { stateScopes } from '../twins/index.ts'
import type { Inputs } from './conditions/types.ts'
import { relatedInputsOf } from './many.ts'
import { readInputs } from './metrics/read.ts'
import { findRelated } from './store/many.ts'

/**
 * The values of a draft by alias: given ones, and current ones for the others, of states that the caller may see.
 * @throws AppError what its transformers fail with
 */
export async function draftInputs(
  { db, scripts, clock }: Pick<Context, 'db' | 'scripts' | 'clock'>,
  series: SeriesFeature,
  caller: Caller,
  { dtwinId, metrics }: { dtwinId?: number | undefined; metrics: readonly Metric[] },
  given: Readonly<Record<string, JsonValue>>,
): Promise<Inputs> {
  const inputs = relatedInputsOf({ metrics: [...metrics], triggers: [] })
  const related =
    dtwinId === undefined ? new Map() : await findRelated(db, stateScopes(caller), dtwinId, inputs)
  const request = {
    rule: {
      id: 'rule:draft',
      accountId: null,
      twinId: dtwinId ?? null,
      metrics: metrics.filter(({ alias }) => !Object.hasOwn(given, alias)),
      related,
    },
    until: clock.now(),
    values: new Map<number, JsonValue>(),
  }
  const [read] = await readInputs({ db, scripts: apart(scripts), series }, [request])
  if (read?.kind === 'error') throw new AppError(read.code, undefined, read.message)
  const known: Inputs = { ...read?.inputs, ...given }
  return known
}
