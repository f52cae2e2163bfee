import { failedSignInLimits, type failedSignInReasons } from '@leitstand/contract/failedSignIns'
import { storableText } from '../../../platform/storable.ts'
import { loginName } from '../loginName.ts'

/** What makes failed sign-ins of a day the same row. */
export interface FailureKey {
  /** '' for several */
  name: string
  /** '' for several */
  network: string
  reason: (typeof failedSignInReasons)[number]
  /** '' without one */
  code: string
  userId: number | null
  /** of a provider */
  accountId: number | null
}

export interface Failure extends FailureKey {
  /** the newest of the network; '' for several networks */
  address: string
  firstAt: Date
  lastAt: Date
  times: number
}

const typedLengthMax = 60
/** Enough to recognise a slip or the list of an attacker; a password in the wrong field is not kept. */
const unknownLengthMax = 3

/** Pure. The name as it is kept: one line, and of a name that nobody has only the beginning. */
export function keptName(typed: string, isKnown: boolean): string {
  const line = storableText(loginName(typed.slice(0, 200))).replace(/[\s\p{Cc}\p{Bidi_Control}]+/gu, ' ')
  const letters = [...line.trim()]
  const lengthMax = isKnown ? typedLengthMax : unknownLengthMax
  return letters.length > lengthMax ? `${letters.slice(0, lengthMax).join('').trimEnd()}…` : letters.join('')
}

/** Pure. Text that is equal for what is counted in one row. */
export function keyOf({ name, network, reason, code, userId, accountId }: FailureKey): string {
  return JSON.stringify([name, network, reason, code, userId, accountId])
}

/** Pure. Counts a failure to the same one before it. */
export function counted(before: Failure | undefined, next: Failure): Failure {
  if (before === undefined) return next
  return { ...before, address: next.address, lastAt: next.lastAt, times: before.times + next.times }
}

/**
 * Pure. Failures as they are stored, so that neither a network that tries many names nor a name that is tried from many
 * networks fills the table: beyond the limits of a day they are counted together.
 * @param stored rows of the day with the names or networks of the failures
 */
export function bounded(failures: readonly Failure[], stored: readonly FailureKey[]): Failure[] {
  const known = new Set(stored.map(keyOf))
  const ofNetwork = countBy(stored, ({ network }) => network)
  const ofName = countBy(stored, ({ name }) => name)
  const placed = new Map<string, Failure>()
  for (const failure of failures) {
    const place = known.has(keyOf(failure)) ? failure : placeOf(failure, ofNetwork, ofName)
    const key = keyOf(place)
    if (!known.has(key)) {
      known.add(key)
      increase(ofNetwork, place.network)
      increase(ofName, place.name)
    }
    placed.set(key, counted(placed.get(key), place))
  }
  return [...placed.values()]
}

function placeOf(failure: Failure, ofNetwork: Map<string, number>, ofName: Map<string, number>): Failure {
  const { ofNetworkMax, ofNameMax } = failedSignInLimits
  const { network, name } = failure
  if (network !== '' && (ofNetwork.get(network) ?? 0) >= ofNetworkMax) return withoutName(failure)
  if (name !== '' && (ofName.get(name) ?? 0) >= ofNameMax) return { ...failure, network: '', address: '' }
  return failure
}

/** Pure. Counted with those of other names. */
export function withoutName(failure: Failure): Failure {
  return { ...failure, name: '', userId: null, accountId: null }
}

function countBy(rows: readonly FailureKey[], of: (row: FailureKey) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) increase(counts, of(row))
  return counts
}

function increase(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
