import { createApi } from '../client.ts'
import { startServer, temporaryFolder } from '../platform.ts'
import { rssOf } from '../processes.ts'
import { cell, rounded, table } from '../report/table.ts'
import type { Report, Say } from './report.ts'

/** Starts on the same folder after the first. */
const warmStarts = 3

interface Start {
  readyMs: number
  rssBytes: number | null
}

/** From the start of the process until `/readyz` succeeds: with an empty data folder, and with a used one. */
export async function start(say: Say, signal: AbortSignal): Promise<Report> {
  using folder = temporaryFolder()
  say('cold start: the database is created')
  const cold = await startOnce(folder.path, signal)
  say('warm starts')
  const warm: Start[] = []
  for (let round = 0; round < warmStarts; round++) warm.push(await startOnce(folder.path, signal))
  const middle = warm.toSorted((a, b) => a.readyMs - b.readyMs)[warmStarts >> 1] as Start
  const json = {
    subject: 'start',
    coldStartMs: rounded(cold.readyMs),
    warmStartMs: rounded(middle.readyMs),
    serverRssBytes: middle.rssBytes,
  }
  const mib = middle.rssBytes === null ? null : Math.round(middle.rssBytes / 1_048_576)
  const lines = table([
    ['start', ''],
    ['cold, with an empty data folder, s', cell(cold.readyMs / 1000)],
    [`warm, the middle of ${warmStarts}, s`, cell(middle.readyMs / 1000)],
    ['memory of the server and its sandboxes after it, MiB', cell(mib)],
  ])
  return { json, lines }
}

async function startOnce(dataDir: string, signal: AbortSignal): Promise<Start> {
  const started = performance.now()
  await using server = await startServer(dataDir, signal)
  const { ok, status } = await fetch(`${server.url}/readyz`)
  if (!ok) throw new Error(`the server says it is ready, and /readyz answers ${status}`)
  const readyMs = performance.now() - started
  // Use it once: what is loaded with the first calls counts too.
  await createApi(server.url).auth.verify({})
  return { readyMs, rssBytes: rssOf(server.pid, server.databasePid) }
}
