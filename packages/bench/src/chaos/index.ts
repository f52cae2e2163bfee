import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Api, createApi } from '../client.ts'
import { followUp, openDatabase } from '../database.ts'
import { admin, temporaryFolder } from '../platform.ts'
import type { Report, Say } from '../subjects/report.ts'
import { Audit, type Findings } from './audit.ts'
import { areMailsSent, auditMails } from './auditMails.ts'
import { areRollupsMade } from './auditRollups.ts'
import { addWatches, buildCity, type City } from './city.ts'
import { openDisk } from './disk.ts'
import { serverTarget, type Target } from './faults.ts'
import { openForeignBroker } from './foreignBroker.ts'
import { Gate } from './gate.ts'
import { Load } from './load.ts'
import { type MailServer, openMailServer } from './mailServer.ts'
import type { FaultKind } from './plan.ts'
import { addPosts, auditPosts, type Post, post } from './posts.ts'
import { hasProcfs, isSame, listProcesses, type Process } from './procfs.ts'
import { Random } from './random.ts'
import { chaosReport, type FaultRecord } from './report.ts'
import { logFileOf, Supervisor } from './supervisor.ts'
import { addTimers, areTimersOver, auditTimers, type Timers } from './timers.ts'

export interface ChaosOptions {
  /** the faults in their order */
  kinds: readonly FaultKind[]
  /** random seed of the run */
  seed: number
  /** simulated devices of all connectors together */
  devices: number
  /** uplinks per second of all devices together */
  rate: number
  /** how long the server is stopped, and how long the disk is full */
  stoppedMs: number
  fullMs: number
  /** load between two faults, at most */
  betweenMs: number
}

const startTimeoutMs = 120_000
/** A platform that does not accept uplinks again within this time is stuck. */
const recoveryMaxMs = 90_000
const foreignMaxMs = 60_000
const orphanMaxMs = 10_000
const rollupMaxMs = 60_000
/** A mail whose job could not even be marked as failed is tried again after its time limit of two minutes. */
const mailMaxMs = 240_000
const timersMaxMs = 90_000
const diskBytesMax = 6_000_000_000
const pollMs = 50
/** Deviations of rules that are printed after a fault. */
const deviationsMax = 10

/**
 * Faults at random moments under load; after each, and at the end, the database is compared with what was acknowledged.
 * @throws when the platform could not even be set up
 */
export async function chaos(options: ChaosOptions, say: Say, signal: AbortSignal): Promise<Report> {
  if (!hasProcfs) throw new Error('the crash matrix needs a system with /proc: it kills single processes')
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryFolder())
  const dataDir = join(folder.path, 'data')
  mkdirSync(dataDir, { mode: 0o711 })
  const disk = opened.use(await openDisk(dataDir, diskBytesMax))
  const mailServer = opened.use(await openMailServer())
  const supervisor = opened.use(
    await Supervisor.open({ dataDir, logFile: logFileOf(folder.path), smtpUrl: mailServer.url, signal }),
  )
  if (!(await supervisor.ready(startTimeoutMs)))
    throw new Error(`the server was not ready in time: ${supervisor.tail()}`)
  const gates = [
    opened.use(await Gate.open(supervisor.port)),
    opened.use(await Gate.open(supervisor.mqttPort)),
  ] as const
  const foreign = await openForeignBroker(folder.path)
  if (foreign) opened.use(foreign)

  say(`making ${options.devices} devices; seed ${options.seed}`)
  const { token } = await createApi(supervisor.url).auth.login(admin)
  const api = createApi(supervisor.url, token)
  const doors = { http: gates[0], mqtt: gates[1], foreign }
  const city = opened.use(await buildCity(api, doors, options.devices, signal))
  const load = new Load(city.lines, options.rate)
  opened.defer(() => load.stop())
  await load.greet(recoveryMaxMs, signal)
  const audit = new Audit(city, load)
  const random = new Random(options.seed)
  const run = {
    options,
    say,
    signal,
    city,
    load,
    audit,
    mailServer,
    kinds: options.kinds.filter((kind) => kind !== 'disk-full' || disk.kind !== 'none'),
    api,
    random,
    target: serverTarget({ ...options, supervisor, gates, load, disk, random, signal }),
  }
  const report = await attack(run)
  return {
    ...report,
    json: { ...report.json, diskFullBy: disk.kind },
    lines: [...report.lines, `disk full by ${disk.kind}`],
  }
}

/** Makes rules on devices that have all sent once, injects the faults, and compares. */
export async function attack<Kind extends string>(
  prepared: Omit<Prepared<Kind>, 'seen'> & { api: Api },
): Promise<Report> {
  const { api, city, kinds, load, signal } = prepared
  const run = { ...prepared, seen: new Map<number, Process>() }
  const incomplete = await withDatabase(run, (client) => settle(client, run))
  if (incomplete) throw new Error(`not everything arrived before the first fault: ${incomplete}`)
  await addWatches(api, city, signal)
  const posts = await addPosts(api, kinds.length, signal)
  const timers = await addTimers(api, signal)
  load.start()
  return await runFaults({ ...run, posts, timers })
}

/** What a run needs until its devices have sent for the first time. */
interface Prepared<Kind extends string> {
  options: { seed: number; betweenMs: number }
  /** the faults in their order */
  kinds: readonly Kind[]
  target: Target<Kind>
  random: Random
  city: City
  load: Load
  audit: Audit
  mailServer: MailServer
  say: Say
  signal: AbortSignal
  /** all processes the platform has had, by pid */
  seen: Map<number, Process>
}

interface Run<Kind extends string> extends Prepared<Kind> {
  api: Api
  posts: Post[]
  timers: Timers
}

async function runFaults<Kind extends string>(run: Run<Kind>): Promise<Report> {
  const { options, kinds, target, random, load, audit, signal, say } = run
  const startedMs = performance.now()
  const faults: FaultRecord[] = []
  for (const kind of kinds) {
    await delay(random.whole(options.betweenMs / 5, options.betweenMs), undefined, { signal })
    const { leadMs } = await post(run.api, run.posts, faults.length, random)
    await delay(leadMs, undefined, { signal })
    faults.push(await oneFault(kind, run, `${faults.length + 1}/${kinds.length}`))
  }
  const unfinished = await load.pause(recoveryMaxMs, signal)
  say('comparing everything')
  const { late, ...total } = await withDatabase(run, async (client) => {
    const unsettled = await settle(client, run)
    if (unsettled !== null) say(`STUCK: ${unsettled}`)
    const rolled = await within(rollupMaxMs, signal, () => areRollupsMade(client))
    const waited = await within(timersMaxMs, signal, () => areTimersOver(client, run.timers))
    // Before the clock is looked at: sending reminders adds more.
    const sent = await within(mailMaxMs, signal, () => areMailsSent(client))
    const late = [unsettled === null, rolled, waited, sent].filter((inTime) => !inTime).length
    return { ...(await audit.checkAll(client)), late }
  })
  for (const deviation of audit.deviations.slice(0, deviationsMax)) say(`        ${deviation}`)
  const afterwards = await withDatabase(run, async (client) => ({
    timers: await auditTimers(client, run.timers),
    mails: await auditMails(client, run.mailServer.delivered, (isOver) => within(mailMaxMs, signal, isOver)),
    posts: await auditPosts(client, run.posts),
  }))
  for (const deviation of [...afterwards.mails.deviations, ...afterwards.posts.deviations].slice(
    0,
    deviationsMax,
  ))
    say(`        ${deviation}`)
  remember(run)
  const { starts, ends } = target
  load.stop()
  const orphans = await target.stop([...run.seen.values()])
  return chaosReport({
    options,
    faults,
    total,
    ...afterwards,
    unfinished: unfinished + late,
    serverStarts: starts,
    serverEnds: ends,
    sent: load.entries.length,
    acknowledged: load.acknowledged,
    sentAgain: load.again,
    refusals: load.refusals,
    orphans: orphans.length,
    seconds: (performance.now() - startedMs) / 1000,
  })
}

/** Injects one fault, waits for recovery, and audits everything sent since the last one. */
async function oneFault<Kind extends string>(
  kind: Kind,
  run: Run<Kind>,
  place: string,
): Promise<FaultRecord> {
  const { target, load, audit, signal, say } = run
  remember(run)
  const detail = await target.inject(kind)
  if (process.env.CHAOS_TRACE) say(`${kind} ${detail}`)
  const from = performance.now()
  const stuck = await load.proven(recoveryMaxMs, signal)
  const recoveryMs = performance.now() - from
  remember(run)
  const orphans = await orphansOf(run)
  if (stuck.length === 0 && (await load.pause(recoveryMaxMs, signal)) > 0) stuck.push('acknowledgements')
  const { findings, unsettled } = await withDatabase(run, async (client) => {
    const waited = stuck.length > 0 ? null : await settle(client, run)
    return { unsettled: waited, findings: await audit.check(client) }
  })
  if (unsettled !== null) stuck.push(unsettled)
  load.resume()
  const record = { kind, detail, recoveryMs, stuck, orphans: orphans.map(({ command }) => command), findings }
  const wrong = wrongIn(findings)
  say(
    `${place.padStart(7)} ${kind.padEnd(20)} ${Math.round(recoveryMs).toString().padStart(6)} ms  ${detail}${
      wrong === '' ? '' : `  WRONG: ${wrong}`
    }${stuck.length === 0 ? '' : `  STUCK: ${stuck.join()}`}${orphans.length === 0 ? '' : `  ORPHANS: ${record.orphans.join()}`}`,
  )
  for (const deviation of audit.deviations.slice(0, deviationsMax)) say(`        ${deviation}`)
  return record
}

/** The findings that should be zero. */
function wrongIn({ stored: _, ...bad }: Findings): string {
  return Object.entries(bad)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

/** @returns whether it became true in time */
async function within(ms: number, signal: AbortSignal, isTrue: () => Promise<boolean>): Promise<boolean> {
  for (
    const end = performance.now() + ms;
    performance.now() < end;
    await delay(pollMs, undefined, { signal })
  )
    if (await isTrue()) return true
  return false
}

/** Waits until everything acknowledged is stored and processed. @returns what is not, or null */
async function settle(
  client: pg.Client,
  {
    audit,
    target,
    signal,
  }: Pick<Run<never>, 'audit' | 'signal'> & { target: Pick<Target<never>, 'isEmpty'> },
): Promise<string | null> {
  const isStored = async () => (await audit.isComplete(client)) && (await target.isEmpty())
  if (!(await within(foreignMaxMs, signal, isStored))) return 'not stored in time'
  // Effects can have effects: a rule sets a state that triggers a rule.
  for (let round = 0; round < 3; round++)
    if ((await followUp(client, signal)) === null) return 'events not handled in time'
  return null
}

/** The database may be recovering: retried until it responds. */
async function withDatabase<Kind extends string, T>(
  run: Omit<Prepared<Kind>, 'api'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const end = performance.now() + recoveryMaxMs
  for (;;) {
    try {
      const address = run.target.database
      if (address === null) throw new Error('the database does not run')
      await using client = await openDatabase(address)
      return await work(client)
    } catch (error) {
      if (run.signal.aborted) throw error
      if (performance.now() > end)
        throw new Error(`the database did not come back; the server said: ${run.target.tail()}`, {
          cause: error,
        })
      await delay(pollMs, undefined, { signal: run.signal })
    }
  }
}

/** Records the platform's current processes. */
function remember<Kind extends string>({ target, seen }: Run<Kind>): void {
  for (const process of target.processes()) seen.set(process.pid, process)
}

/**
 * Former processes of the platform that are no longer below the current server. They get some time to end.
 */
async function orphansOf<Kind extends string>({ target, seen, signal }: Run<Kind>): Promise<Process[]> {
  const end = performance.now() + orphanMaxMs
  for (;;) {
    const now = listProcesses()
    const present = target.processes()
    const orphans = now.filter((process) => {
      const known = seen.get(process.pid)
      return known !== undefined && isSame(known, process) && !present.some((own) => isSame(own, process))
    })
    if (orphans.length === 0 || performance.now() > end) return orphans
    await delay(pollMs, undefined, { signal })
  }
}
