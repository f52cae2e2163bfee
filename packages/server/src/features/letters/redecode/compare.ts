import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '@leitstand/contract/common'
import type { Fault } from '@leitstand/contract/errors'
import { type DecodePreview, decodingLimits } from '@leitstand/contract/redecoding'
import type { StoredPacket } from '../../ingest/index.ts'

/** A stored packet and its new content. */
export interface Pair {
  packet: StoredPacket
  deviceTitle: string
  variables: Record<string, JsonValue> | null
  error: Fault | null
  driverVersion: number | null
}

type Counts = Pick<DecodePreview, 'sampled' | 'same' | 'different' | 'errors' | 'variables' | 'examples'>
type Variable = DecodePreview['variables'][number]

/** Whether the content of a packet is unchanged, regardless of the driver version. */
export function isSame({ packet, variables, error }: Pick<Pair, 'packet' | 'variables' | 'error'>): boolean {
  return isDeepStrictEqual(packet.variables, variables) && isDeepStrictEqual(packet.error, error)
}

/** Counts the changes by variable and error. Pure. */
export function compare(pairs: readonly Pair[]): Counts {
  const different = pairs.filter((pair) => !isSame(pair))
  return {
    sampled: pairs.length,
    same: pairs.length - different.length,
    different: different.length,
    errors: errorsOf(pairs),
    variables: variablesOf(pairs),
    examples: different.slice(0, decodingLimits.examplesMax).map(toDifference),
  }
}

function errorsOf(pairs: readonly Pair[]): DecodePreview['errors'] {
  const kinds = new Map<string, Fault & { count: number }>()
  for (const { error } of pairs) {
    if (error === null) continue
    const name = `${error.code} ${error.message}`
    const known = kinds.get(name)
    if (known === undefined) kinds.set(name, { ...error, count: 1 })
    else known.count++
  }
  const count = (test: (pair: Pair) => boolean) => pairs.filter(test).length
  return {
    before: count(({ packet }) => packet.error !== null),
    after: count(({ error }) => error !== null),
    vanish: count(({ packet, error }) => packet.error !== null && error === null),
    appear: count(({ packet, error }) => packet.error === null && error !== null),
    kinds: [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, 20),
  }
}

function variablesOf(pairs: readonly Pair[]): Variable[] {
  const byKey = new Map<string, Variable>()
  for (const { packet, variables } of pairs) {
    const [before, after] = [packet.variables ?? {}, variables ?? {}]
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const entry = byKey.get(key) ?? { key, appears: 0, vanishes: 0, changes: 0, same: 0, example: null }
      byKey.set(key, entry)
      const kind = kindOf(before, after, key)
      entry[kind]++
      if (kind !== 'same') entry.example ??= { before: before[key] ?? null, after: after[key] ?? null }
    }
  }
  const moved = ({ appears, vanishes, changes }: Variable) => appears + vanishes + changes
  return [...byKey.values()].sort((a, b) => moved(b) - moved(a) || (a.key < b.key ? -1 : 1))
}

function kindOf(before: Record<string, JsonValue>, after: Record<string, JsonValue>, key: string) {
  if (!Object.hasOwn(before, key)) return 'appears'
  if (!Object.hasOwn(after, key)) return 'vanishes'
  return isDeepStrictEqual(before[key], after[key]) ? 'same' : 'changes'
}

function toDifference({ packet, deviceTitle, variables, error, driverVersion }: Pair) {
  return {
    packetId: packet.id,
    deviceId: packet.deviceId,
    deviceTitle,
    receivedAt: packet.receivedAt.toISOString(),
    before: { variables: packet.variables, error: packet.error, driverVersion: packet.driverVersion },
    after: { variables, error, driverVersion },
  }
}
