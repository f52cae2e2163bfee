import { matchesFilter } from './topics.ts'

/** Limits of one client's subscriptions: they are kept in memory while the client is connected. */
export const subscriberLimits = {
  filtersMax: 1_000,
  filterLengthMax: 1_000,
} as const

/** Subscriptions: the filters of each client, and the number of clients with subscriptions per account. */
export class Subscribers<Client extends object> {
  readonly #filters = new Map<Client, Set<string>>()
  readonly #clientsOf = new Map<string, number>()
  readonly #accountOf: (client: Client) => string
  readonly #changed: (account: string, isHeard: boolean) => void

  /** @param changed called when an account has its first subscriber, and when its last one is gone */
  constructor(
    accountOf: (client: Client) => string,
    changed: (account: string, isHeard: boolean) => void = () => {},
  ) {
    this.#accountOf = accountOf
    this.#changed = changed
  }

  /** Whether a connected client of the account has a subscription. */
  has(account: string): boolean {
    return this.#clientsOf.has(account)
  }

  /** Whether a connected client of the account listens to a topic. */
  hears(account: string, topic: string): boolean {
    if (!this.has(account)) return false
    for (const [client, filters] of this.#filters) {
      if (this.#accountOf(client) !== account) continue
      for (const filter of filters) if (matchesFilter(filter, topic)) return true
    }
    return false
  }

  /** Adds a filter. @returns false when it is too long, or the client has reached its limit */
  add(client: Client, filter: string): boolean {
    if (filter.length > subscriberLimits.filterLengthMax) return false
    const filters = this.#filters.get(client)
    if (filters === undefined) {
      this.#filters.set(client, new Set([filter]))
      const account = this.#accountOf(client)
      const before = this.#clientsOf.get(account) ?? 0
      this.#clientsOf.set(account, before + 1)
      if (before === 0) this.#changed(account, true)
      return true
    }
    if (filters.size >= subscriberLimits.filtersMax && !filters.has(filter)) return false
    filters.add(filter)
    return true
  }

  /** Removes filters that a client has unsubscribed from. */
  drop(client: Client, filters: readonly string[]): void {
    for (const filter of filters) this.#filters.get(client)?.delete(filter)
  }

  /** Removes a client that has disconnected. */
  forget(client: Client): void {
    if (!this.#filters.delete(client)) return
    const account = this.#accountOf(client)
    const left = (this.#clientsOf.get(account) ?? 1) - 1
    if (left > 0) this.#clientsOf.set(account, left)
    else {
      this.#clientsOf.delete(account)
      this.#changed(account, false)
    }
  }
}
