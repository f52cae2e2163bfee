import type { Context } from '../../platform/context.ts'
import type { PeopleFeature } from '../people/index.ts'
import { groundsChanged } from '../rights/index.ts'
import { ApiKeys } from './keys.ts'
import { apiKeyRoutes } from './routes.ts'

/** API keys of programs. */
export { makeToken } from './keys.ts'
export { apikeyObjects } from './objects.store.ts'
export { deleteKey, insertKey, setKeyEnd, touchKey } from './store.ts'

export function registerApikeys(ctx: Context, { people }: { people: Pick<PeopleFeature, 'addWayIn'> }) {
  const keys = new ApiKeys(ctx)
  people.addWayIn({
    rightsOf: (caller) => keys.rightsOf(caller),
    rightsNow: ({ keyHash }) => (keyHash === undefined ? undefined : keys.rightsNow(keyHash)),
    forget: (changed) => keys.forget(changed),
  })
  ctx.configChanges.on('api_keys', (ids) => keys.forget(groundsChanged('api_keys', ids)))
  return { routes: { apikey: apiKeyRoutes(ctx, keys) }, authenticateKey: keys.authenticate }
}
