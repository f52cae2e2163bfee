import type { LiveTopic } from '@leitstand/contract/live'
import type { Audience } from './index.ts'

/** Then the older half is forgotten. */
const entriesMax = 2_000

interface Entry {
  ms: number
  topic: LiveTopic
  audience: Audience | undefined
}

/**
 * What was published lately, also to nobody: who subscribes a moment after reading has to read again only if there was
 * something. Times in ms of the platform's clock.
 */
export class Recent {
  #entries: Entry[] = []
  /** everything since then is known */
  #knownMs: number

  constructor(nowMs: number) {
    this.#knownMs = nowMs
  }

  note(topic: LiveTopic, audience: Audience | undefined, nowMs: number): void {
    this.#entries.push({ ms: nowMs, topic, audience })
    if (this.#entries.length <= entriesMax) return
    const forgotten = this.#entries.splice(0, entriesMax / 2)
    this.#knownMs = (forgotten.at(-1) as Entry).ms + 1
  }

  /**
   * Whether something may have been published to a topic from a time on; true if that is not known.
   * @param hears whether the reader belongs to an audience
   */
  mayHave(topic: LiveTopic, fromMs: number, hears: (audience: Audience) => boolean): boolean {
    if (fromMs < this.#knownMs) return true
    return this.#entries.some(
      (each) =>
        each.ms >= fromMs && each.topic === topic && (each.audience === undefined || hears(each.audience)),
    )
  }
}
