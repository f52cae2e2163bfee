import { statfs } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Context } from '../../platform/context.ts'
import type { Executor } from '../../platform/db/index.ts'
import { Loop } from '../../platform/loop.ts'
import { readOpenCauses } from './causes.store.ts'
import type { Happening } from './causes.ts'
import { type Measures, PlatformJudge, platformReasons } from './platformJudge.ts'

const lookMs = 10_000

type Parts = Pick<Context, 'db' | 'clock' | 'log' | 'events' | 'loopDelay' | 'config' | 'reads' | 'nodes'>

/**
 * Looks after the platform itself: disk, database, replica, events, event loop. Only the process that dispatches events does so,
 * or several would contradict each other.
 * @param follow opens and resolves alarms in a transaction. @returns what to do after the commit
 */
export function platformWatch(
  ctx: Parts,
  follow: (tx: Executor, happenings: readonly Happening[]) => Promise<() => void>,
): Loop {
  const judge = new PlatformJudge()
  return new Loop({
    log: ctx.log,
    failure: 'the platform does not look after itself; tried again soon',
    retryMs: lookMs,
    async round() {
      // With several nodes only the one with the clocks runs this.
      if (!ctx.nodes.isCluster && !ctx.events.isLeading) {
        judge.forget()
        return lookMs
      }
      await watchOnce(ctx, judge, await measure(ctx), follow)
      return lookMs
    },
  })
}

/** Judges measures, and stores what they mean for alarms. */
export async function watchOnce(
  { db, clock, log }: Pick<Parts, 'db' | 'clock' | 'log'>,
  judge: PlatformJudge,
  measures: Measures,
  follow: (tx: Executor, happenings: readonly Happening[]) => Promise<() => void>,
): Promise<void> {
  try {
    const after = await db.transaction().execute(async (tx) => {
      const open = await readOpenCauses(tx, 'platform', platformReasons)
      const happenings = judge.look(measures, open, clock.now())
      return happenings.length === 0 ? undefined : await follow(tx, happenings)
    })
    judge.stored()
    after?.()
  } catch (error) {
    // Nothing can be stored now; the next looks tell how long that was.
    log.warn({ err: error }, 'alarms of the platform cannot be stored; tried again soon')
    judge.failed(clock.now())
  }
}

async function diskOf(folder: string): Promise<Measures['disk']> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}

async function measure({ db, log, events, loopDelay, config, reads, nodes }: Parts): Promise<Measures> {
  return {
    disk: config.databaseUrl === undefined ? await diskOf(config.dataDir) : null,
    writeMs: await writeTime(db).catch((error: unknown) => {
      log.warn({ err: error }, 'the database cannot be written to')
      return null
    }),
    isReplicaUnused: (reads.status()?.state ?? 'used') !== 'used',
    eventsLateMs: Math.max(events.lateMs, ...nodes.members().map((member) => member.eventsLateMs)),
    isLoopSlow: loopDelay.delays.isSlow,
  }
}

/** How long the database takes to store something for good, in ms. */
async function writeTime(db: Executor): Promise<number> {
  const started = performance.now()
  await sql`select pg_logical_emit_message(true, 'leitstand', '')`.execute(db)
  return performance.now() - started
}
