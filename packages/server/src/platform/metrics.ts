import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/**
 * The Prometheus registry of one app. Features register their own metrics, named `leitstand_…`. Label
 * values must come from small fixed sets, never from devices or users.
 */
export class Metrics implements Disposable {
  readonly registry = new Registry()

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name: `leitstand_${name}`, help, labelNames, registers: [this.registry] })
  }

  /** @param read called at every scrape */
  gauge(name: string, help: string, read: () => number): Gauge {
    return new Gauge({
      name: `leitstand_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read())
      },
    })
  }

  /** @param read called at every scrape; the values by label, of a small fixed set */
  gaugeBy(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    new Gauge({
      name: `leitstand_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset()
        for (const [value, count] of read()) this.set({ [label]: value }, count)
      },
    })
  }

  /** Durations in seconds. */
  histogram<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Histogram<L> {
    const buckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30]
    return new Histogram({ name: `leitstand_${name}`, help, labelNames, buckets, registers: [this.registry] })
  }

  [Symbol.dispose](): void {
    this.registry.clear()
  }
}
