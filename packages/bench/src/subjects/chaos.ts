import { randomInt } from 'node:crypto'
import type { Options } from '../arguments.ts'
import { chaos } from '../chaos/index.ts'
import { nodesChaos } from '../chaos/nodes/index.ts'
import { planNodeFaults } from '../chaos/nodes/plan.ts'
import { planFaults } from '../chaos/plan.ts'
import { Random } from '../chaos/random.ts'
import { Network } from '../cluster/network.ts'
import type { Report, Say } from './report.ts'

const seedMax = 1_000_000
const defaultRate = 400
const stoppedMs = 20_000
const fullMs = 5000
const betweenMs = 2000

/** The crash matrix in its long form. */
export function chaosSubject(options: Options, say: Say, signal: AbortSignal): Promise<Report> {
  const { kills, devices, nodes } = options
  const seed = options.seed ?? randomInt(seedMax)
  const rate = options.rate ?? defaultRate
  if (nodes !== null) {
    const hasNetworks = Network.isPossible()
    if (!hasNetworks) say('no faults of the network: they need Linux, root, ip and nsenter')
    const faults = planNodeFaults(new Random(seed), kills, hasNetworks)
    return nodesChaos({ nodes, hasNetworks, kinds: faults, seed, devices, rate, betweenMs }, say, signal)
  }
  const kinds = planFaults(new Random(seed), kills)
  return chaos({ kinds, seed, devices, rate, stoppedMs, fullMs, betweenMs }, say, signal)
}
