import type { Options } from '../arguments.ts'
import { measurePeers } from '../peers/index.ts'
import { peersReport } from '../peers/report.ts'
import type { Report, Say } from './report.ts'

/** Leitstand beside what is built first: Node-RED with PostgreSQL. */
export async function peers({ devices, seconds }: Options, say: Say, signal: AbortSignal): Promise<Report> {
  return peersReport(await measurePeers({ devices, seconds }, say, signal))
}
