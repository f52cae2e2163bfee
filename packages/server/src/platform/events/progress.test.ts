import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBefore } from './cursor.ts'
import { type Place, Progress } from './progress.ts'

const at = (id: number) => ({ xid: '5', id })
const placeOf = (id: number, accountId: number): Place => ({ cursor: at(id), accountId, isDone: false })

describe('progress', () => {
  it('stands before the first event that is not handled', () => {
    const progress = new Progress({ main: at(0), lanes: [] })
    const places = [1, 2, 3].map((id) => placeOf(id, 1))
    progress.advance(at(3), places)
    for (const place of places.slice(1)) place.isDone = true
    expect(progress.save()).toEqual({ main: at(0), lanes: [], dropped: [] })
    expect(progress.isWhole).toBe(false)
    ;(places[0] as Place).isDone = true
    expect(progress.save().main).toEqual(at(3))
    expect(progress.isWhole).toBe(true)
  })

  it('goes on for others when an account falls behind, until that has caught up', () => {
    const progress = new Progress({ main: at(0), lanes: [] })
    const [slow, quick] = [placeOf(1, 7), placeOf(2, 8)]
    progress.advance(at(2), [slow, quick])
    progress.fallBehind(7)
    quick.isDone = true
    expect(progress.save()).toEqual({ main: at(2), lanes: [{ accountId: 7, cursor: at(0) }], dropped: [] })
    expect(progress.behind).toEqual([7])
    progress.advance(at(9), [])
    slow.isDone = true
    const later = placeOf(5, 7)
    expect(progress.laneRead(7)).toEqual(at(2))
    progress.advanceLane(7, null, [later])
    expect(progress.behind).toEqual([])
    expect(progress.save()).toEqual({ main: at(9), lanes: [{ accountId: 7, cursor: at(4) }], dropped: [] })
    later.isDone = true
    expect(progress.save()).toEqual({ main: at(9), lanes: [], dropped: [7] })
    expect(progress.isWhole).toBe(true)
  })

  it('names the event that holds it back once enough were read behind it', () => {
    const progress = new Progress({ main: at(0), lanes: [] })
    const places = [1, 2, 3].map((id) => placeOf(id, 1))
    progress.advance(at(3), places)
    expect(progress.held(4)).toBeUndefined()
    expect(progress.held(3)).toBe(places[0])
    ;(places[0] as Place).isDone = true
    expect(progress.held(3)).toBeUndefined()
    expect(progress.held(2)).toBe(places[1])
  })

  it('goes on with the lanes that were stored, each where it was', () => {
    const lanes = [
      { accountId: 7, cursor: at(3) },
      { accountId: 8, cursor: at(5) },
    ]
    const progress = new Progress({ main: at(9), lanes })
    expect(progress.laneAccounts).toEqual([7, 8])
    expect(progress.behind).toEqual([7, 8])
    expect(progress.isWhole).toBe(false)
    expect([7, 8, 9].map((accountId) => progress.laneRead(accountId))).toEqual([at(3), at(5), at(9)])
    // A part of what it has missed: it stays behind.
    progress.advanceLane(7, at(4), [])
    progress.advanceLane(9, at(1), [placeOf(1, 9)])
    expect(progress.behind).toEqual([7, 8])
    expect(progress.laneRead(7)).toEqual(at(4))
    expect(progress.save()).toEqual({
      main: at(9),
      lanes: [
        { accountId: 7, cursor: at(4) },
        { accountId: 8, cursor: at(5) },
      ],
      dropped: [],
    })
  })

  it('takes only the events of the account into its lane', () => {
    const progress = new Progress({ main: at(0), lanes: [] })
    const [slow, other] = [placeOf(2, 7), placeOf(1, 8)]
    progress.advance(at(2), [other, slow])
    progress.fallBehind(7)
    slow.isDone = true
    // The other event holds back the main track alone.
    expect(progress.save()).toEqual({ main: at(0), lanes: [{ accountId: 7, cursor: at(2) }], dropped: [] })
  })

  it('never passes an event that is not handled, whatever happens and wherever it stops (seed 20261122)', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('read' as const), count: fc.integer({ min: 1, max: 5 }) }),
        fc.record({ kind: fc.constant('handle' as const), nth: fc.nat(30) }),
        fc.record({ kind: fc.constant('behind' as const), account: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('lane' as const), account: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant('restart' as const) }),
      ),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(steps, (script) => {
        const model = new Model()
        for (const step of script) {
          model.run(step)
          expect(model.passedUnhandled(), JSON.stringify(step)).toEqual([])
        }
      }),
      { seed: 20_261_122, numRuns: 500 },
    )
  })
})

type Step =
  | { kind: 'read'; count: number }
  | { kind: 'handle'; nth: number }
  | { kind: 'behind' | 'lane'; account: number }
  | { kind: 'restart' }

/** An outbox with events of three accounts, and a consumer that reads, handles and restarts. */
class Model {
  #progress = new Progress({ main: at(0), lanes: [] })
  readonly #handled = new Set<number>()
  #open: Place[] = []
  #end = 0

  run(step: Step): void {
    const progress = this.#progress
    if (step.kind === 'read') {
      this.#end += step.count
      const { behind } = progress
      progress.advance(
        at(this.#end),
        this.#read(progress.read.id, this.#end, (account) => !behind.includes(account)),
      )
    } else if (step.kind === 'handle') this.#handle(step.nth)
    else if (step.kind === 'restart') {
      this.#progress = new Progress(progress.save())
      this.#open = []
    } else this.#lane(step.kind, step.account)
  }

  /** Unhandled events that the stored progress has passed. */
  passedUnhandled(): number[] {
    const { main, lanes } = this.#progress.save()
    return idsBetween(0, this.#end).filter((id) => {
      const lane = lanes.find(({ accountId }) => accountId === accountOf(id))
      const isPassed = !isBefore(main, at(id)) && (!lane || !isBefore(lane.cursor, at(id)))
      return isPassed && !this.#handled.has(id)
    })
  }

  #handle(nth: number): void {
    const place = this.#open[nth % Math.max(1, this.#open.length)]
    if (place === undefined) return
    place.isDone = true
    this.#handled.add(place.cursor.id)
    this.#open = this.#open.filter((other) => other !== place)
  }

  #lane(kind: 'behind' | 'lane', account: number): void {
    const progress = this.#progress
    const isBehind = progress.behind.includes(account)
    if (kind === 'behind' && !isBehind) progress.fallBehind(account)
    if (kind === 'behind' || !isBehind) return
    const from = progress.laneRead(account).id
    progress.advanceLane(
      account,
      null,
      this.#read(from, progress.read.id, (other) => other === account),
    )
  }

  #read(from: number, to: number, isWanted: (account: number) => boolean): Place[] {
    const places = idsBetween(from, to)
      .filter((id) => isWanted(accountOf(id)))
      .map((id) => placeOf(id, accountOf(id)))
    this.#open.push(...places)
    return places
  }
}

const accountOf = (id: number) => 1 + (id % 3)
const idsBetween = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + 1 + index)
