import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** `/proc/…/stat` counts in hundredths of a second on every Linux. */
const ticksPerSecond = 100
const sampleMs = 500

/** Whether `/proc` has the expected format. */
const isKnown = existsSync('/proc/self/stat')

/** Parses `/proc/<pid>/stat`: the parent, and processor time including ended children. */
export function parseStat(text: string): { parent: number; cpuSeconds: number } {
  // The name is in parentheses and may itself contain parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = (index: number) => Number(fields[index]) / ticksPerSecond
  return { parent: Number(fields[1]), cpuSeconds: ticks(11) + ticks(12) + ticks(13) + ticks(14) }
}

/** Memory in bytes from `/proc/<pid>/status`; 0 if it is missing. */
export function parseRss(text: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024
}

function statOf(pid: number): ReturnType<typeof parseStat> | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return null // it has ended
  }
}

/** Memory of a process in bytes; 0 when it has ended. */
function ownRss(pid: number): number {
  try {
    return parseRss(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return 0 // it has ended
  }
}

/** Running descendants of a process, except for one subtree: sandboxes are not always its direct children. */
function descendantsOf(pid: number, except: number | null): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const childrenBy = Map.groupBy(pids, (each) => statOf(each)?.parent)
  const below = (parent: number): number[] =>
    (childrenBy.get(parent) ?? []).flatMap((child) => (child === except ? [] : [child, ...below(child)]))
  return below(pid)
}

/**
 * Memory of a process and its descendants, in bytes; null if the system does not report it.
 * @param except a descendant that does not count: the database
 */
export function rssOf(pid: number, except: number | null): number | null {
  if (!isKnown) return null
  return [pid, ...descendantsOf(pid, except)].reduce((sum, each) => sum + ownRss(each), 0)
}

/** Processor time of a process and its descendants, except for one, in seconds; null if the system does not report it. */
export function cpuSecondsOf(pid: number, except: number | null): number | null {
  const own = statOf(pid)
  if (own === null) return null
  const theirs = descendantsOf(pid, except).map((child) => statOf(child)?.cpuSeconds ?? 0)
  return theirs.reduce((sum, seconds) => sum + seconds, own.cpuSeconds)
}

/** The cost of a phase; null if the system does not report it. */
export interface Cost {
  /** the server and the sandboxes it has started */
  serverCpuSeconds: number | null
  databaseCpuSeconds: number | null
  generatorCpuSeconds: number
  serverRssBytesMax: number | null
}

/** The sum of several costs. */
export function totalCost(costs: readonly Cost[]): Cost {
  const sum = (of: (cost: Cost) => number | null) =>
    costs.reduce<number | null>((total, cost) => {
      const own = of(cost)
      return total === null || own === null ? null : total + own
    }, 0)
  const known = costs.flatMap(({ serverRssBytesMax }) => serverRssBytesMax ?? [])
  return {
    serverCpuSeconds: sum((cost) => cost.serverCpuSeconds),
    databaseCpuSeconds: sum((cost) => cost.databaseCpuSeconds),
    generatorCpuSeconds: costs.reduce((total, cost) => total + cost.generatorCpuSeconds, 0),
    serverRssBytesMax: known.length === 0 ? null : Math.max(...known),
  }
}

/** Watches server and database from now until `stop`. */
export class CostMeter implements Disposable {
  readonly #server: number | null
  readonly #database: number | null
  readonly #before: Omit<Cost, 'serverRssBytesMax'>
  readonly #timer: NodeJS.Timeout
  #rssMax: number | null = null

  constructor(pids: { server: number | null; database: number | null }) {
    this.#server = isKnown ? pids.server : null
    this.#database = isKnown ? pids.database : null
    this.#before = this.#now()
    this.#timer = setInterval(() => this.#sample(), sampleMs)
    this.#sample()
  }

  stop(): Cost {
    this.#sample()
    clearInterval(this.#timer)
    const now = this.#now()
    const since = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b)
    return {
      serverCpuSeconds: since(now.serverCpuSeconds, this.#before.serverCpuSeconds),
      databaseCpuSeconds: since(now.databaseCpuSeconds, this.#before.databaseCpuSeconds),
      generatorCpuSeconds: now.generatorCpuSeconds - this.#before.generatorCpuSeconds,
      serverRssBytesMax: this.#rssMax,
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #now(): Omit<Cost, 'serverRssBytesMax'> {
    const { user, system } = process.cpuUsage()
    return {
      serverCpuSeconds: this.#server === null ? null : cpuSecondsOf(this.#server, this.#database),
      databaseCpuSeconds: this.#database === null ? null : cpuSecondsOf(this.#database, null),
      generatorCpuSeconds: (user + system) / 1e6,
    }
  }

  #sample(): void {
    const rss = this.#server === null ? null : rssOf(this.#server, this.#database)
    if (rss !== null && rss > (this.#rssMax ?? 0)) this.#rssMax = rss
  }
}
