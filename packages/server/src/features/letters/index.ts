import type { Context } from '../../platform/context.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { IngestFeature } from '../ingest/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { SeriesFeature } from '../series/index.ts'
import { LetterKeeper } from './keeper.ts'
import { redecodeKind } from './redecode/job.ts'
import { redecodeRoutes } from './redecode/routes.ts'
import { replayKind } from './replay/job.ts'
import { letterRoutes, replaying } from './routes.ts'
import { listReasons } from './store.ts'

export { letterObjects } from './objects.store.ts'
export { letterLimits } from './store.ts'

export type LettersFeature = ReturnType<typeof register>

/**
 * Second chances: messages that could not be used are kept as dead letters and can be replayed, and stored
 * packets can be decoded again.
 */
export function register(
  ctx: Context,
  features: {
    series: SeriesFeature
    ingest: IngestFeature
    connectors: ConnectorsFeature
    jobs: JobsFeature
  },
) {
  const { series, ingest, connectors, jobs } = features
  const keeper = new LetterKeeper(ctx)
  jobs.define(replayKind(ctx, ingest))
  jobs.define(redecodeKind({ ctx, series, ingest }))
  return {
    routes: {
      letters: {
        ...letterRoutes({ ctx, connectors, jobs }),
        ...redecodeRoutes({ ctx, ingest, jobs }),
      },
    },
    /** where ingest and connectors put the messages they reject */
    rejections: keeper,
    /** Reasons of dead letters of a device, without duplicates, the latest first. */
    reasonsOf: (connectorId: number, identifier: string) => listReasons(ctx.db, connectorId, identifier),
    /** Everything a connector has refused, to be processed again. */
    replaying: replaying({ ctx, connectors, jobs }),
    /** Deletes dead letters beyond the limit; also runs every minute. */
    trim: (): Promise<void> => keeper.trim(),
    [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose](),
  }
}
