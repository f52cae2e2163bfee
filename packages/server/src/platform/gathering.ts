/** Bounds of the wait for more. */
export interface GatheringLimits {
  /** how long to wait after the last batch began, as a multiple of what the last one took */
  factor: number
  maxMs: number
  /** the same while several groups wait, each of which may be one that has little and is used to short waits */
  besideOthersMs: number
  /** items with which a batch costs hardly more than a full one of as many */
  enough: number
  /** nothing more is expected when nothing has come for so long */
  gapMs: number
}

/** What waits for the next batch. */
export interface Gathered {
  items: number
  groups: number
  /** when the last item came */
  newestAt: number
}

/**
 * Decides when a batch begins. A batch costs a fixed amount besides its items, so under load it pays to wait for more
 * of them: as long as the last batch took, while they keep coming. On a quiet system nothing waits.
 */
export class Gathering {
  readonly #limits: GatheringLimits
  #begunAt = Number.NEGATIVE_INFINITY
  #tookMs = 0

  constructor(limits: GatheringLimits) {
    this.#limits = limits
  }

  /** A batch begins. @param now like all times in ms of one clock */
  begin(now: number): void {
    this.#begunAt = now
  }

  /** @param ms the work of a batch, from beginning to end */
  took(ms: number): void {
    this.#tookMs = ms
  }

  /** @returns how long the next batch should wait before it is decided again, in ms; 0: it begins */
  waitMs(now: number, { items, groups, newestAt }: Gathered): number {
    const { factor, maxMs, besideOthersMs, enough, gapMs } = this.#limits
    if (items >= enough) return 0
    const longest = groups > 1 ? besideOthersMs : maxMs
    const until = this.#begunAt + Math.min(longest, factor * this.#tookMs)
    return Math.max(0, Math.min(until, newestAt + gapMs) - now)
  }
}
