import type { Context } from '../../../platform/context.ts'
import { AppError, messageOf } from '../../../platform/errors.ts'
import { readAccountLimits } from './store.ts'
import { type Reached, Turnstile } from './turnstile.ts'

/** Maximum time between checks of a waiting line: limits change and clocks are adjusted. */
const lookMs = 250
const tidyMs = 60_000
const readAgainMs = 1000
/** How often nodes tell each other what has passed, and entries of one message. */
const shareMs = 250
const sharedMax = 5_000
const spentSubject = 'limits.spent'

/** Messages that have passed at a node, of one connector. */
type Spent = [accountId: number, connectorId: number, count: number]

/** The sender of a message. */
interface Sender {
  readonly id: number
  readonly accountId: number
}

/**
 * Rate limits of connectors and accounts, in messages per second, kept in the memory of this process. A
 * message above the limit is either refused, or waits while its socket is not read (back-pressure). Several nodes charge
 * each other for what has passed, so that a limit holds for all of them together, a quarter of a second late.
 */
export class Limiter implements AsyncDisposable {
  readonly #ctx: Context
  readonly #ofConnectors = new Map<number, number>()
  /** of all connectors, used when a limit is reached */
  readonly #names = new Map<number, string>()
  #ofAccounts: ReadonlyMap<number, number> = new Map()
  /** by account; only accounts with a limit that sent something recently */
  readonly #turnstiles = new Map<number, Turnstile>()
  readonly #timers = new Map<number, NodeJS.Timeout>()
  readonly #reached
  #tidy: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #share: NodeJS.Timeout | undefined
  #reading: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(ctx: Context) {
    this.#ctx = ctx
    this.#reached = ctx.metrics.counter(
      'limits_reached_total',
      'Messages above the limit of their connector or account, and whether they were refused or had to wait',
      ['limit', 'answer'],
    )
  }

  /** Reads the limits of accounts and follows changes. */
  async start(): Promise<void> {
    this.#ctx.configChanges.on('accounts', () => this.#read())
    this.#ofAccounts = await readAccountLimits(this.#ctx.db)
    this.#tidy = setInterval(() => this.#forgetIdle(), tidyMs)
    const { nodes } = this.#ctx
    if (!nodes.isCluster) return
    nodes.hear(spentSubject, (spent) => this.#chargeElsewhere(spent as Spent[]))
    this.#share = setInterval(() => this.#tellSpent(), shareMs)
  }

  /** Sets the name and limit of a connector; null: no limit of its own. */
  set(connectorId: number, name: string, perSecond: number | null): void {
    this.#names.set(connectorId, name)
    if (perSecond === null) this.#ofConnectors.delete(connectorId)
    else this.#ofConnectors.set(connectorId, perSecond)
  }

  /** Name of a connector, for users; empty if unknown. */
  nameOf(connectorId: number): string {
    return this.#names.get(connectorId) ?? ''
  }

  /** Forgets a deleted connector. */
  forget(connectorId: number): void {
    this.#names.delete(connectorId)
    this.#ofConnectors.delete(connectorId)
  }

  /**
   * Lets a message pass, or returns the limit that was reached. This is called for every message; without any
   * limit it costs two look-ups.
   */
  tryPass(sender: Sender): Reached | null {
    if (!this.#isLimited(sender)) return null
    const reached = this.#turnstileOf(sender).tryPass(sender.id, this.#nowMs())
    if (reached !== null) this.#count(sender, reached, 'refused')
    return reached
  }

  /**
   * Lets a message pass at once (returns undefined), or when its turn comes.
   * @param isGone whether its connection has closed, so that it will be sent again
   * @param onWait called with the limit it waits for
   * @returns a promise that rejects with AppError OVERLOADED when too many messages wait, the connection
   * closes or the server stops
   */
  pass(sender: Sender, isGone: () => boolean, onWait: (reached: Reached) => void): Promise<void> | undefined {
    if (!this.#isLimited(sender)) return undefined
    const turnstile = this.#turnstileOf(sender)
    const nowMs = this.#nowMs()
    const reached = turnstile.tryPass(sender.id, nowMs)
    if (reached === null) return undefined
    this.#count(sender, reached, 'waited')
    onWait(reached)
    return new Promise((admit, reject) => {
      const turnAway = () => reject(new AppError('OVERLOADED'))
      if (this.#stopped || !turnstile.queue(sender.id, { admit, turnAway, isGone }, nowMs)) turnAway()
      else this.#look(sender.accountId, reached.waitMs)
    })
  }

  /** Charges for additional items in a message that has already passed. */
  charge(sender: Sender, count: number): void {
    if (count > 0 && this.#isLimited(sender))
      this.#turnstileOf(sender).charge(sender.id, count, this.#nowMs())
  }

  /** Refuses all waiting messages: they were not acknowledged, so they are sent again. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearInterval(this.#tidy)
    clearTimeout(this.#again)
    clearInterval(this.#share)
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const turnstile of this.#turnstiles.values()) turnstile.turnAwayAll()
    await this.#reading
  }

  /** 0 for an account means no limit, even where the platform sets a default. */
  #accountLimit(accountId: number): number | null {
    return (this.#ofAccounts.get(accountId) ?? this.#ctx.config.accountMessagesPerSecond) || null
  }

  #isLimited({ id, accountId }: Sender): boolean {
    return this.#ofConnectors.has(id) || this.#accountLimit(accountId) !== null || this.#timers.has(accountId)
  }

  #turnstileOf({ accountId }: Sender): Turnstile {
    let turnstile = this.#turnstiles.get(accountId)
    if (turnstile === undefined) {
      turnstile = new Turnstile(
        () => this.#accountLimit(accountId),
        (connectorId) => this.#ofConnectors.get(connectorId) ?? null,
        this.#ctx.nodes.isCluster,
      )
      this.#turnstiles.set(accountId, turnstile)
    }
    return turnstile
  }

  #look(accountId: number, inMs: number): void {
    if (this.#timers.has(accountId)) return
    const timer = setTimeout(
      () => {
        this.#timers.delete(accountId)
        const next = this.#turnstiles.get(accountId)?.admitDue(this.#nowMs()) ?? null
        if (next !== null) this.#look(accountId, next)
      },
      Math.min(inMs, lookMs),
    )
    this.#timers.set(accountId, timer)
  }

  #tellSpent(): void {
    const spent: Spent[] = []
    for (const [accountId, turnstile] of this.#turnstiles)
      for (const [connectorId, count] of turnstile.takeSpent()) spent.push([accountId, connectorId, count])
    for (let first = 0; first < spent.length; first += sharedMax)
      this.#ctx.nodes.tell(spentSubject, spent.slice(first, first + sharedMax))
  }

  #chargeElsewhere(spent: readonly Spent[]): void {
    const nowMs = this.#nowMs()
    for (const [accountId, id, count] of spent)
      if (this.#isLimited({ id, accountId }))
        this.#turnstileOf({ id, accountId }).chargeElsewhere(id, count, nowMs)
  }

  #forgetIdle(): void {
    const nowMs = this.#nowMs()
    for (const [accountId, turnstile] of this.#turnstiles)
      if (!this.#timers.has(accountId) && turnstile.tidy(nowMs)) this.#turnstiles.delete(accountId)
  }

  /** Limits that cannot be read now stay unchanged and are read again later. */
  #read(): void {
    clearTimeout(this.#again)
    this.#reading = this.#reading.then(async () => {
      if (this.#stopped) return
      try {
        this.#ofAccounts = await readAccountLimits(this.#ctx.db)
      } catch (error) {
        this.#ctx.log.warn({ reason: messageOf(error) }, 'limits of accounts could not be read; tried again')
        if (!this.#stopped) this.#again = setTimeout(() => this.#read(), readAgainMs)
      }
    })
  }

  /** Resolves when every change noticed so far has been read. */
  drain(): Promise<void> {
    return this.#reading
  }

  #count({ id, accountId }: Sender, { limit }: Reached, answer: 'refused' | 'waited'): void {
    this.#reached.inc({ limit, answer })
    this.#ctx.limitHits.note(accountId, 'messages', { detail: this.nameOf(id) })
  }

  #nowMs(): number {
    return this.#ctx.clock.now().getTime()
  }
}
