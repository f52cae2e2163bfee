import { isDeepStrictEqual } from 'node:util'
import { downlinkLimits } from '@leitstand/contract/downlinkPayload'
import type { LibraryChanges } from '@leitstand/contract/driverLibrary'
import type { GoldenPacket } from '@leitstand/contract/drivers'
import type { VersionContent } from '../store.ts'

/** Maximum golden packets of a driver, as in the contract. */
const goldenMax = 100

const identity = ({ fPort, encoding, payload }: GoldenPacket): string =>
  `${fPort ?? ''} ${encoding} ${payload.toLowerCase()}`

/**
 * Whether an installed version equals the delivered one. Ignores golden packets and downlinks that users have
 * added, which updates keep.
 */
export function isAsDelivered(installed: VersionContent, delivered: VersionContent): boolean {
  const ofDelivered = new Set(delivered.golden.map(identity))
  const golden = installed.golden.filter((packet) => ofDelivered.has(identity(packet)))
  const named = new Set(delivered.downlinks.map(({ name }) => name))
  const downlinks = installed.downlinks.filter(({ name }) => named.has(name))
  return isDeepStrictEqual({ ...installed, golden, downlinks }, delivered)
}

/**
 * The newer version of a delivered driver, with the golden packets and downlinks added by users.
 * @param before the version in use by live traffic
 */
export function upgraded(before: VersionContent, delivered: VersionContent): VersionContent {
  const ofDelivered = new Set(delivered.golden.map(identity))
  const own = before.golden.filter((packet) => !ofDelivered.has(identity(packet)))
  const named = new Set(delivered.downlinks.map(({ name }) => name))
  const ownDownlinks = before.downlinks.filter(({ name }) => !named.has(name))
  return {
    ...delivered,
    golden: [...delivered.golden, ...own].slice(0, goldenMax),
    downlinks: [...delivered.downlinks, ...ownDownlinks].slice(0, downlinkLimits.predefinedMax),
  }
}

/** The changes of an update to the version in use. */
export function changesBetween(before: VersionContent, after: VersionContent): LibraryChanges {
  const known = new Set(before.golden.map(identity))
  return {
    script: before.script !== after.script || !isDeepStrictEqual(before.parser, after.parser),
    variables: compareBy(before.variables, after.variables, ({ key }) => key),
    health: compareBy(before.health.entries, after.health.entries, ({ identifier }) => identifier),
    downlinks: compareBy(before.downlinks, after.downlinks, ({ name }) => name),
    golden: after.golden.filter((packet) => !known.has(identity(packet))).length,
  }
}

function compareBy<T>(before: readonly T[], after: readonly T[], nameOf: (item: T) => string) {
  const old = new Map(before.map((item) => [nameOf(item), item]))
  const now = new Map(after.map((item) => [nameOf(item), item]))
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].flatMap(([name, item]) =>
      old.has(name) && !isDeepStrictEqual(old.get(name), item) ? [name] : [],
    ),
  }
}
