import { limits } from '@leitstand/contract/common'
import type { RemoteDevice, RemoteField } from '@leitstand/contract/remote'
import type { Shared } from '../devices/index.ts'

/** The fields to take from the network server, and those that stay different. */
export interface Comparison {
  readonly fields: Partial<Shared>
  readonly taken: RemoteField[]
  readonly differences: RemoteField[]
}

/** Positions closer than this (about a tenth of a metre) are equal; they may be stored with fewer digits. */
const sameDegrees = 1e-6

/**
 * Compares a device here with its record on the network server. Fields missing here are taken over; fields
 * that differ only on request, because users may have edited them here. Fields missing there remove nothing
 * here.
 */
export function compare(here: Shared, there: RemoteDevice, take: readonly RemoteField[]): Comparison {
  const title = there.name.trim().slice(0, limits.titleLengthMax)
  const description = there.description.slice(0, limits.textLengthMax)
  const { latitude, longitude } = there
  const found: { field: RemoteField; fields: Partial<Shared>; isMissing: boolean }[] = []
  if (title !== '' && title !== here.title)
    found.push({ field: 'title', fields: { title }, isMissing: false })
  if (description !== '' && description !== here.description)
    found.push({ field: 'description', fields: { description }, isMissing: here.description === '' })
  if (latitude !== null && longitude !== null && !isNear(here, { latitude, longitude }))
    found.push({ field: 'position', fields: { latitude, longitude }, isMissing: here.latitude === null })
  const [taken = [], left = []] = [true, false].map((isTaken) =>
    found.filter(({ field, isMissing }) => (isMissing || take.includes(field)) === isTaken),
  )
  return {
    fields: Object.assign({}, ...taken.map(({ fields }) => fields)),
    taken: taken.map(({ field }) => field),
    differences: left.map(({ field }) => field),
  }
}

function isNear(
  here: Pick<Shared, 'latitude' | 'longitude'>,
  there: { latitude: number; longitude: number },
): boolean {
  if (here.latitude === null || here.longitude === null) return false
  return (
    Math.abs(here.latitude - there.latitude) < sameDegrees &&
    Math.abs(here.longitude - there.longitude) < sameDegrees
  )
}
