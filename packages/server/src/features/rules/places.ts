import { relatedInputsOf } from './many.ts'
import type { RuleFields } from './store/definitions.ts'
import type { NewPlace } from './store/templated.ts'
import { silencesByKeyOf, watchesOf } from './triggers/index.ts'

/** What a rule of a template waits for on one of its devices. */
export function placeOf(
  { ruleId, fields }: { ruleId: number; fields: Pick<RuleFields, 'triggers' | 'metrics' | 'active'> },
  twinId: number,
): NewPlace {
  return {
    ruleId,
    inputs: relatedInputsOf(fields),
    watches: watchesOf(fields, twinId),
    silences: fields.active ? silencesByKeyOf(fields) : [],
  }
}
