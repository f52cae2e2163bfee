import { statfs } from 'node:fs/promises'
import type { SystemFigure } from '@leitstand/contract/states'
import type { Context } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { Loop } from '../../../platform/loop.ts'
import { Mutex } from '../../../platform/mutex.ts'
import type { ValueSource } from '../../../topics/valuesStored.ts'
import type { SeriesFeature } from '../../series/index.ts'
import { findObject, readScopes } from '../../twins/index.ts'
import { type FigureState, type Figures, listFigureStates, readFigures } from './store.ts'

/** Time between two looks, also without a change: values pass, and disks fill up. */
const everyMs = 60_000
/** Changes of twins, devices and states, of which there may be many a second, are looked at after this rest. */
const restMs = (tookMs: number) => Math.max(1_000, 10 * tookMs)
const statesAtOnce = 500
const dayMs = 86_400_000
const bytesPerGigabyte = 1e9

const systemSource: ValueSource = { kind: 'system' }

/** Keeps states of the source `system` up to date: a value is stored when it differs from the last one. */
export class SystemFigures {
  readonly #ctx: Context
  readonly #series: Pick<SeriesFeature, 'write'>
  readonly #loop: Loop
  readonly #turn = new Mutex()

  constructor(ctx: Context, series: Pick<SeriesFeature, 'write'>) {
    this.#ctx = ctx
    this.#series = series
    this.#loop = new Loop({
      log: ctx.log,
      failure: 'figures of the platform could not be stored; tried again in a minute',
      retryMs: everyMs,
      restMs,
      round: async () => {
        await this.look()
        return everyMs
      },
    })
    const wake = () => this.#loop.wake()
    ctx.configChanges.on('virtual_devices', wake)
    ctx.configChanges.on('twins', wake)
    ctx.configChanges.on('states', wake)
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Stores all figures that have changed. */
  look(): Promise<void> {
    return this.#turn.run(() => this.#look())
  }

  async #look(): Promise<void> {
    const now = this.#ctx.clock.now()
    for (let after = 0; ; ) {
      const states = await listFigureStates(this.#ctx.db, after, statesAtOnce)
      const last = states.at(-1)
      if (last === undefined) return
      // The states of a twin are read together; those of the last one may be cut off.
      const whole =
        states.length < statesAtOnce ? states : states.filter(({ twinId }) => twinId !== last.twinId)
      const taken = whole.length > 0 ? whole : states
      for (const ofTwin of Map.groupBy(taken, ({ twinId }) => twinId).values()) await this.#store(ofTwin, now)
      after = taken.at(-1)?.twinId ?? last.twinId
    }
  }

  async #store(states: readonly FigureState[], now: Date): Promise<void> {
    const [{ twinId, accountId }] = states as [FigureState, ...FigureState[]]
    const wanted = new Set(states.map(({ figure }) => figure))
    const since = wanted.has('packetsPerDay') ? new Date(now.getTime() - dayMs) : null
    const figures = await readFigures(this.#ctx.db, { twinId, accountId, since })
    const freeDisk = wanted.has('freeDisk') ? await freeGigabytes(this.#ctx.config.dataDir) : null
    const values = states.flatMap(({ stateId, figure, current }) => {
      const value = figure === 'freeDisk' ? freeDisk : valueOfFigure(figures, figure)
      return value === null || value === current ? [] : [{ stateId, value, time: now, source: systemSource }]
    })
    if (values.length > 0) await this.#series.write(values)
  }
}

/**
 * The value that a state of a twin with this figure would have now.
 * @throws AppError DTWIN_NOT_FOUND, NO_PERMISSION
 */
export async function figureNow(
  { db, clock, config }: Context,
  caller: Caller,
  { id, figure }: { id: number; figure: SystemFigure },
): Promise<string | number | null> {
  const twin = await findObject(db, 'digitalTwin', readScopes(caller, 'digitalTwin'), id)
  if (twin === undefined) throw new AppError('DTWIN_NOT_FOUND', { id })
  if (figure === 'freeDisk') {
    if (caller.can('super.system', 'manage')) return freeGigabytes(config.dataDir)
    throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
  }
  if (!readScopes(caller, 'virtualDevice').includes(twin.scopeId))
    throw new AppError('NO_PERMISSION', { subject: 'VirtualDevice', action: 'read' })
  const since = figure === 'packetsPerDay' ? new Date(clock.now().getTime() - dayMs) : null
  return valueOfFigure(await readFigures(db, { twinId: id, accountId: twin.accountId, since }), figure)
}

function valueOfFigure(figures: Figures, figure: keyof Figures): string | number | null {
  return figure === 'lastSeen' ? (figures.lastSeen?.toISOString() ?? null) : figures[figure]
}

/** Free space where the platform keeps its data, to a tenth of a gigabyte. */
async function freeGigabytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return Math.round((bavail * bsize * 10) / bytesPerGigabyte) / 10
}
