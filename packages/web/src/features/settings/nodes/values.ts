import { packetPartitions } from '@leitstand/contract/nodes'
import { formatNumber } from '../../../lib/format.ts'

/** `21 of 64` as `21 / 64`; a dash for a node without any. */
export function partitionsText(partitions: readonly number[]): string {
  if (partitions.length === 0) return '–'
  return `${formatNumber(partitions.length, 0)}\u202f/\u202f${formatNumber(packetPartitions, 0)}`
}
