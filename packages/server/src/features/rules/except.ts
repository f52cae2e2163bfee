import { manyLimits } from '@leitstand/contract/rules'
import type { Executor } from '../../platform/db/index.ts'
import { AppError } from '../../platform/errors.ts'
import type { AlarmChange, AlarmsFeature } from '../alarms/index.ts'
import { closeActions } from './actions/index.ts'
import { refuseIssues } from './issues.ts'
import { placeOf } from './places.ts'
import type { RuleRow } from './store/definitions.ts'
import { addPlaces, dropExceptions, listHeld, stopPlaces, writeExceptions } from './store/templated.ts'

/** @throws AppError VALIDATION_ERROR */
export function refuseExceptions(count: number): void {
  if (count <= manyLimits.exceptMax) return
  const params = { max: String(manyLimits.exceptMax) }
  refuseIssues([
    { path: ['dtwinId'], message: `at most ${params.max} exceptions`, text: 'manyExcept', params },
  ])
}

/**
 * Leaves a device out of a rule of its template, or takes it in again. The rule is locked.
 * @returns alarms to be announced after the commit
 * @throws AppError DTWIN_NOT_FOUND when the rule is not one of the device, VALIDATION_ERROR
 */
export async function exceptDevice(
  tx: Executor,
  parts: { alarms: Pick<AlarmsFeature, 'resolve'> },
  rule: RuleRow,
  twinId: number,
  isExcept: boolean,
  at: Date,
): Promise<AlarmChange[]> {
  const held = (await listHeld(tx, twinId)).find(({ ruleId }) => ruleId === rule.id)
  if (held === undefined) throw new AppError('DTWIN_NOT_FOUND', { id: twinId })
  if (held.isExcept === isExcept) return []
  if (!isExcept) {
    await dropExceptions(tx, twinId, [rule.id])
    await addPlaces(tx, twinId, [placeOf({ ruleId: rule.id, fields: rule }, twinId)], at)
    return []
  }
  refuseExceptions((rule.many?.except.length ?? 0) + 1)
  const alarms = await closeActions(tx, parts, [{ ruleId: rule.id, twinId, at }])
  await writeExceptions(tx, twinId, [rule.id])
  await stopPlaces(tx, twinId, [rule.id])
  return alarms
}
