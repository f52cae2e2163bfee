/** Bounds of what one client may follow: it is kept in memory as long as the client is there. */
export const subscriberLimits = {
  filtersMax: 1_000,
  filterLengthMax: 1_000,
} as const

/** Who follows what: the filters of each client, and how many clients of an account follow anything at all. */
export class Subscribers<Client extends object> {
  readonly #filters = new Map<Client, Set<string>>()
  readonly #clientsOf = new Map<string, number>()
  readonly #accountOf: (client: Client) => string

  constructor(accountOf: (client: Client) => string) {
    this.#accountOf = accountOf
  }

  /** Whether a client of the account has subscribed to something and is still there. */
  has(account: string): boolean {
    return this.#clientsOf.has(account)
  }

  /** Notes a filter. @returns false when it is too long, or the client has as many as it may */
  add(client: Client, filter: string): boolean {
    if (filter.length > subscriberLimits.filterLengthMax) return false
    const filters = this.#filters.get(client)
    if (filters === undefined) {
      this.#filters.set(client, new Set([filter]))
      const account = this.#accountOf(client)
      this.#clientsOf.set(account, (this.#clientsOf.get(account) ?? 0) + 1)
      return true
    }
    if (filters.size >= subscriberLimits.filtersMax && !filters.has(filter)) return false
    filters.add(filter)
    return true
  }

  /** Forgets filters a client has given up. */
  drop(client: Client, filters: readonly string[]): void {
    for (const filter of filters) this.#filters.get(client)?.delete(filter)
  }

  /** Forgets a client that is gone. */
  forget(client: Client): void {
    if (!this.#filters.delete(client)) return
    const account = this.#accountOf(client)
    const left = (this.#clientsOf.get(account) ?? 1) - 1
    if (left > 0) this.#clientsOf.set(account, left)
    else this.#clientsOf.delete(account)
  }
}
