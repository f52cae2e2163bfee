import {
  type GeofenceArea,
  type GeofenceMode,
  type GeofenceTrigger,
  isDwelling,
  isProximity,
} from '@leitstand/contract/rules/triggers/geofence'
import { IconMapPinShare } from '@tabler/icons-react'
import { formatValue } from '../../../../lib/format.ts'
import { onDemand } from '../../../../lib/onDemand.ts'
import type { TriggerFault, TriggerKindView, TriggerWords } from '../types.ts'

/** More zones are counted instead of named. */
const namedMax = 3

export const geofence: TriggerKindView<GeofenceTrigger> = {
  icon: IconMapPinShare,
  isOutside: true,
  create: () => ({
    kind: 'geofence',
    mode: 'enter',
    area: { kind: 'zones', zoneIds: [] },
    below: false,
    margin: 10,
  }),
  phrase: (trigger, words) => {
    const { mode, below, minutes = 0, distance = 0 } = trigger
    return words.text(`rules.triggers.phrases.geofence.${below ? 'below' : 'own'}.${mode}`, {
      count: minutes,
      distance: formatValue(distance, 'm'),
      area: areaWords(trigger, words),
    })
  },
  // Each of its twins is compared, and what is below them may be among these.
  forMany: (trigger) => ({ ...trigger, below: false }),
  twins: ({ area }) =>
    area.kind === 'twin'
      ? [area.twinId]
      : area.kind === 'zones' && area.zoneIds.length <= namedMax
        ? area.zoneIds
        : [],
  faults: ({ mode, area, minutes, distance, margin }) => [
    ...areaFaults(area),
    ...(isDwelling(mode) && !isPositive(minutes) ? [{ field: 'minutes', key: 'required' }] : []),
    ...(isProximity(mode) && !isPositive(distance) ? [{ field: 'distance', key: 'required' }] : []),
    ...(margin >= 0 ? [] : [{ field: 'margin', key: 'required' }]),
  ],
  Form: onDemand(() => import('./GeofenceForm.tsx')),
}

function isPositive(value: number | undefined): boolean {
  return value !== undefined && value > 0
}

function areaFaults(area: GeofenceArea): TriggerFault[] {
  const isComplete =
    area.kind === 'zones'
      ? area.zoneIds.length > 0
      : area.kind === 'twin'
        ? area.twinId > 0 && area.radius > 0
        : area.radius > 0 && Number.isFinite(area.latitude) && Number.isFinite(area.longitude)
  return isComplete ? [] : [{ field: 'area', key: 'required' }]
}

/** How the area is named depends on the words around it. */
const cases: Readonly<Record<GeofenceMode, string>> = {
  enter: 'onto',
  exit: 'onto',
  dwelltime: 'within',
  dwelltime_out: 'without',
  proximity_closing: 'onto',
  proximity_movingout: 'from',
}

function areaWords({ mode, area }: GeofenceTrigger, { text, twin }: TriggerWords): string {
  const say = (kind: string, values?: Record<string, unknown>) =>
    text(`rules.triggers.areas.${kind}.${cases[mode]}`, values)
  const nameOf = (id: number) => {
    const name = twin(id)
    return name === null ? text('rules.triggers.gone') : text('rules.quoted', { text: name })
  }
  if (area.kind === 'circle') return say('circle', { radius: formatValue(area.radius, 'm') })
  if (area.kind === 'twin') {
    if (area.twinId === 0) return say('none')
    const names = { name: nameOf(area.twinId), radius: formatValue(area.radius, 'm') }
    return say(isProximity(mode) ? 'twinItself' : 'twin', names)
  }
  const { zoneIds } = area
  const [only] = zoneIds
  if (only === undefined) return say('none')
  if (zoneIds.length === 1) return say('zone', { name: nameOf(only) })
  const names = zoneIds.length > namedMax ? '' : zoneIds.map(nameOf).join(', ')
  return names === '' ? say('zoneCount', { zones: zoneIds.length }) : say('zones', { names })
}
