import type { Options } from '../arguments.ts'
import { measureCluster } from '../cluster/index.ts'
import { clusterReport } from '../cluster/report.ts'
import type { Report, Say } from './report.ts'

const defaultNodes = 3

/** What several nodes cost, and how soon one takes over from another. */
export async function cluster(
  { nodes, devices, seconds }: Options,
  say: Say,
  signal: AbortSignal,
): Promise<Report> {
  const options = { nodes: nodes ?? defaultNodes, devices, seconds }
  return clusterReport(options, await measureCluster(options, say, signal))
}
