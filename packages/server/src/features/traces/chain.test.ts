import { type TraceStep, traceLimits } from '@leitstand/contract/traces'
import { describe, expect, it } from 'vitest'
import { Chain, inOrder, receptionOf, wokenBy } from './chain.ts'

const step = (key: string, after: string | null): TraceStep => ({
  kind: 'lost',
  key,
  after,
  at: null,
  lagMs: null,
  known: 'recorded',
  isAsked: false,
  what: 'packet',
  reason: 'unknown',
})
const keys = (steps: readonly TraceStep[]) => steps.map(({ key }) => key)

describe('the steps of a trace', () => {
  it('are in the order in which they follow, with everything after one before its siblings', () => {
    const steps = [step('a', null), step('b', 'a'), step('c', 'a'), step('d', 'b'), step('e', 'c')]
    expect(keys(inOrder(steps))).toEqual(['a', 'b', 'd', 'c', 'e'])
  })

  it('are there once', () => {
    const chain = new Chain()
    expect(chain.add(step('a', null))).toBe(true)
    expect(chain.add(step('a', null))).toBe(false)
    expect(chain.has('a')).toBe(true)
    expect(chain.has('b')).toBe(false)
    expect(chain.result()).toMatchObject({ cut: false, steps: [{ key: 'a' }] })
  })

  it('are counted beyond the limit of a step, except for those on the way to what was asked about', () => {
    const chain = new Chain()
    chain.add(step('a', null))
    for (let n = 0; n < traceLimits.perStepMax + 3; n++) chain.add(step(`b${n}`, 'a'))
    expect(chain.add(step('wanted', 'a'), true)).toBe(true)
    expect(chain.add(step('c', 'b0'))).toBe(true)
    const { steps, cut } = chain.result()
    expect(cut).toBe(true)
    expect(steps.filter(({ kind }) => kind === 'more')).toMatchObject([{ after: 'a', count: 3 }])
    expect(keys(steps)).toContain('wanted')
    expect(steps).toHaveLength(traceLimits.perStepMax + 4)
  })

  it('are bounded altogether', () => {
    const chain = new Chain()
    for (let n = 0; n < traceLimits.stepsMax; n++) chain.add(step(`a${n}`, n === 0 ? null : `a${n - 1}`))
    expect(chain.add(step('b', 'a0'))).toBe(false)
    expect(chain.add(step('c', null))).toBe(false)
    expect(chain.result().steps.filter(({ kind }) => kind === 'more')).toMatchObject([
      { after: 'a0', count: 1 },
    ])
  })

  it('that may not be seen are counted, which is no cut', () => {
    const chain = new Chain()
    chain.add(step('a', null))
    chain.hide('a')
    chain.hide('a')
    expect(chain.result()).toMatchObject({ cut: false, steps: [{ key: 'a' }, { kind: 'hidden', count: 2 }] })
    chain.cutHere()
    expect(chain.result().cut).toBe(true)
  })
})

describe('the reception of a packet', () => {
  it('is that of the gateway that heard it best', () => {
    const gateways = [
      { id: 'far', rssi: -120, snr: -7 },
      { id: 'near', rssi: -60, snr: 9 },
    ]
    expect(receptionOf({ lora: { gateways } })).toEqual({ rssi: -60, snr: 9 })
  })

  it('is null where no gateway says it, or in another way', () => {
    expect(receptionOf(null)).toEqual({ rssi: null, snr: null })
    expect(receptionOf({ rssi: 'strong' })).toEqual({ rssi: null, snr: null })
    expect(receptionOf({ a: { b: { c: { d: { rssi: -1 } } } } })).toEqual({ rssi: null, snr: null })
    expect(receptionOf({ rssi: -80, lsnr: 3 })).toEqual({ rssi: -80, snr: 3 })
  })
})

describe('an evaluation', () => {
  const time = new Date('2026-11-20T08:00:00.000Z')
  const since = new Date('2026-11-20T09:00:00.000Z')
  const waking = { stateId: 7, time, since }
  const after = (ms: number) => new Date(since.getTime() + ms)

  it('records which values woke it', () => {
    const woken = { values: [[6, 1] as const, [7, time.getTime()] as const] }
    expect(wokenBy({ woken, at: after(60_000) }, waking)).toBe('recorded')
    expect(wokenBy({ woken: { values: [[7, time.getTime() + 1]] }, at: since }, waking)).toBeNull()
    expect(wokenBy({ woken: { values: [[8, time.getTime()]] }, at: since }, waking)).toBeNull()
  })

  it('of an older version is one of a value stored within seconds', () => {
    expect(wokenBy({ woken: null, at: after(5_000) }, waking)).toBe('soon')
    expect(wokenBy({ woken: null, at: after(-5_000) }, waking)).toBe('soon')
    expect(wokenBy({ woken: null, at: after(5_001) }, waking)).toBeNull()
    expect(wokenBy({ woken: null, at: after(-5_001) }, waking)).toBeNull()
  })
})
