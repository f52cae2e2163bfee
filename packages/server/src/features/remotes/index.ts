import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import type { ConnectorsFeature } from '../connectors/index.ts'
import type { JobsFeature } from '../jobs/index.ts'
import type { PeopleFeature } from '../people/index.ts'
import { bulkDeleteKind } from './bulkDelete.ts'
import { deleteBoth, importRemote, listRemote, synchronize } from './remotes.ts'

/** Devices, compared with their records on the network servers behind their connectors. */
export function register(
  ctx: Context,
  {
    people,
    ...features
  }: {
    connectors: Pick<ConnectorsFeature, 'remote'>
    jobs: JobsFeature
    people: Pick<PeopleFeature, 'callerOf'>
  },
) {
  const tools = { ctx, ...features }
  features.jobs.define(bulkDeleteKind({ ...tools, callerOf: people.callerOf }))
  return {
    routes: {
      remote: {
        devices: os.remote.devices.handler(({ input, context: { caller } }) =>
          listRemote(tools, caller, input),
        ),
        import: os.remote.import.handler(({ input, context: { caller } }) =>
          importRemote(tools, caller, input),
        ),
        synchronize: os.remote.synchronize.handler(({ input, context: { caller } }) =>
          synchronize(tools, caller, input),
        ),
      },
      virtualdevice: {
        delete: os.virtualdevice.delete.handler(async ({ input, context: { caller } }) => {
          await deleteBoth(tools, caller, input)
          return { ok: true as const }
        }),
      },
    },
  }
}
