/** Where a script runs, and which account it counts against. */
import type { PendingCall } from './calls.ts'
import { besideOf, LIVE, lastOf } from './pools.ts'
import type { ScriptSource } from './types.ts'

/** `live`, `apart` and `last` are pools of processes. */
export type Place = Pick<PendingCall, 'script' | 'owner' | 'account' | 'apart' | 'last'> & {
  readonly live: string
}

/**
 * @param group of the definition: without an account the group itself is the owner
 * @param domainOf returns the account that has processes of its own; absent where all share
 */
export function placeOf(
  script: ScriptSource,
  group: string,
  domainOf: ((account: number) => Promise<number>) | undefined,
): Place | Promise<Place> {
  const account = accountOf(script)
  const owner = account === null ? group : ownerOf(account)
  const common = { script: script.id, owner, account }
  if (domainOf === undefined || account === null) return { ...common, ...poolsOf(LIVE) }
  return domainOf(account).then((domain) => ({ ...common, ...poolsOf(`account ${domain}`) }))
}

const poolsOf = (live: string) => ({ live, apart: besideOf(live), last: lastOf(live) })

/** The owner that is charged for an account's scripts. */
export function ownerOf(account: number): string {
  return `account:${account}`
}

/** The name of an account's group; every caller that runs scripts for accounts uses it. */
const ACCOUNT_GROUP = /^account:(\d+)$/

function accountOf({ account, group }: ScriptSource): number | null {
  const named = ACCOUNT_GROUP.exec(group ?? '')?.[1]
  return account ?? (named === undefined ? null : Number(named))
}

/** A new call. */
export function fresh(
  pool: string,
): Pick<
  PendingCall,
  'pool' | 'sentAt' | 'crashed' | 'singleUntil' | 'suspected' | 'attempts' | 'sentUnproven' | 'results'
> {
  return {
    pool,
    sentAt: 0,
    crashed: [],
    singleUntil: 0,
    suspected: false,
    attempts: 0,
    sentUnproven: false,
    results: [],
  }
}
