import { useSession } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'

/** The account of the address (`?account=`), or the topmost one that the user manages; undefined: none. */
export function useChosenAccount(): number | undefined {
  const [search] = useUrlSearch()
  const session = useSession()
  const wanted = Number(one(search, 'account'))
  if (Number.isSafeInteger(wanted) && wanted > 0) return wanted
  return session.status === 'user' ? session.access.allManageTenantIds[0] : undefined
}
