import type { Asset } from '@leitstand/contract/assets'
import type { RuleActionKind, RuleFields } from '@leitstand/contract/rules'
import type { TFunction } from 'i18next'
import type * as z from 'zod'

type Fields = z.input<z.ZodObject<typeof RuleFields>>
type Action = Extract<Fields['actions'][number], { kind: RuleActionKind }>

/** A zone an asset may be in. */
export interface ZoneRef {
  id: number
  title: string
}

/** Positions jump: so many metres beyond the edge count as neither inside nor outside. */
const marginMetres = 10

/** The zone an alarm is most likely wanted for: the one the asset is in, otherwise where it belongs. */
export function zoneToWatch({ zone, homeZone }: Pick<Asset, 'zone' | 'homeZone'>): ZoneRef | null {
  return zone ?? homeZone
}

/** A rule that raises an alarm when an asset leaves a zone. */
export function leaveRule(t: TFunction, asset: Pick<Asset, 'title'>, zone: ZoneRef): Fields {
  const names = { asset: asset.title, zone: zone.title }
  const message = t('assets.leaveAlarm.message', names)
  return crossing('exit', zone, t('assets.leaveAlarm.leaves', names), {
    kind: 'alarm',
    severity: 'warning',
    message,
  })
}

/** A rule that resolves this alarm when the asset is back. @param ruleId of the rule that raises it */
export function returnRule(t: TFunction, zone: ZoneRef, ruleId: number): Fields {
  const title = t('assets.leaveAlarm.returns', { zone: zone.title })
  return crossing('enter', zone, title, { kind: 'resolve-alarm', ruleId })
}

function crossing(mode: 'enter' | 'exit', zone: ZoneRef, title: string, action: Action): Fields {
  return {
    title,
    triggers: [
      {
        kind: 'geofence',
        mode,
        area: { kind: 'zones', zoneIds: [zone.id] },
        below: false,
        margin: marginMetres,
      },
    ],
    // The trigger alone decides: a condition that is met wherever the asset is.
    metrics: [{ operation: 'position', position: 'latitude', alias: 'latitude' }],
    conditions: { op: 'gte', left: { metric: 'latitude' }, right: { value: -90 } },
    actions: [action],
  }
}
