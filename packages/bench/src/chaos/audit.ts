import type pg from 'pg'
import { valueKeys } from '../load/uplinks.ts'
import * as rollups from './auditRollups.ts'
import * as store from './auditStore.ts'
import type { City, Watch } from './city.ts'
import type { Load } from './load.ts'
import { type ChaosDevice, type Entry, valuesOf, warmStretches } from './uplinks.ts'

/** Deviations from the ledger. */
export interface Findings {
  /** uplinks whose packet and values are all stored */
  stored: number
  /** acknowledged and not stored */
  lost: number
  /** packets and values beyond the first of an uplink */
  duplicated: number
  /** packets stored after a newer one of the same device, of devices that send nothing late */
  outOfOrder: number
  /** packets whose driver failed */
  undecoded: number
  /** current values that are not the newest */
  currentWrong: number
  /** roll-ups that do not match the values, or are missing */
  rollupsWrong: number
  /** missing effects of rules: executions, states set, mails, alarms */
  rulesMissed: number
  rulesDoubled: number
  /** parked events, dead letters, effects never executed */
  aside: number
}

/**
 * Compares what the database holds with what was sent and acknowledged. Called while nothing is in flight;
 * counts the executions of rules, of which the platform itself keeps only the newest thousand.
 */
export class Audit {
  readonly #city: City
  readonly #load: Load
  readonly #fired = new Map<string, number>()
  readonly #held = new Map<string, number>()
  /** firings whose values another one of the same moment may have replaced */
  readonly #simultaneous = new Set<string>()
  #failedRuns = 0
  #lastExecution = 0
  #deviations: string[] = []
  #from = new Date(0)
  #checked = 0

  constructor(city: City, load: Load) {
    this.#city = city
    this.#load = load
  }

  /**
   * Whether everything acknowledged since the last check is stored; it may still be in flight from the
   * foreign broker.
   */
  async isComplete(client: pg.Client): Promise<boolean> {
    const { lost } = this.#compare(await this.#packets(client, this.#from), this.#checked)
    return lost === 0
  }

  /** Effects of rules that were missed or doubled in the last check, with the uplink's temperature. */
  get deviations(): readonly string[] {
    return this.#deviations
  }

  /** What was sent since the last check. */
  async check(client: pg.Client): Promise<Findings> {
    const packets = await this.#packets(client, this.#from)
    const findings = { ...this.#compare(packets, this.#checked), ...(await this.#followers(client)) }
    this.#checked = this.#load.entries.length
    for (const { receivedAt } of packets)
      if (receivedAt >= this.#from) this.#from = new Date(receivedAt.getTime() + 1)
    return findings
  }

  /** Everything, from the beginning. */
  async checkAll(client: pg.Client): Promise<Findings> {
    const packets = await this.#packets(client, new Date(0))
    const compared = this.#compare(packets, 0)
    const values = await store.countValues(client, deviceIds(this.#city))
    const valuesTooMany = Math.max(0, values - compared.stored * valueKeys.length)
    const followers = await this.#followers(client)
    const { accountId } = this.#city
    followers.rollupsWrong += await rollups.countMissingRollups(client, accountId)
    return { ...compared, ...followers, duplicated: compared.duplicated + valuesTooMany }
  }

  #packets(client: pg.Client, from: Date): Promise<store.StoredPacket[]> {
    return store.readPackets(client, this.#city.accountId, from)
  }

  /** @param from earlier entries are skipped */
  #compare(packets: readonly store.StoredPacket[], from: number) {
    const times = new Map<number, number>()
    const whole = new Set<number>()
    let undecoded = 0
    for (const { sequence, isWhole } of packets) {
      if (sequence === null) undecoded++
      else times.set(sequence, (times.get(sequence) ?? 0) + 1)
      if (sequence !== null && isWhole) whole.add(sequence)
    }
    let lost = 0
    for (const { sequence, isAcknowledged } of this.#load.entries.slice(from))
      if (isAcknowledged && !whole.has(sequence)) lost++
    // Entries checked before must not be duplicated either.
    const again = [...times].reduce(
      (sum, [sequence, count]) => sum + (sequence <= from ? count : count - 1),
      0,
    )
    return { stored: whole.size, lost, duplicated: again, undecoded }
  }

  async #followers(client: pg.Client) {
    const sent = Map.groupBy(this.#load.entries, ({ device }) => device)
    const rules = await this.#rules(client, sent)
    const punctual = this.#city.watches.map(({ device }) => device.id)
    const outOfOrder = await store.countOutOfOrder(client, punctual)
    const { parked, deadLetters, pending } = await store.readAside(client, this.#city.accountId)
    const currentWrong = await this.#currentWrong(client, sent)
    const rollupsWrong = await rollups.countWrongRollups(client, this.#city.accountId)
    return {
      ...rules,
      outOfOrder,
      currentWrong,
      rollupsWrong,
      aside: parked + deadLetters + pending + this.#failedRuns,
    }
  }

  async #currentWrong(client: pg.Client, sent: ReadonlyMap<ChaosDevice, readonly Entry[]>): Promise<number> {
    const byId = new Map([...sent].map(([device, entries]) => [device.id, newestOf(entries)]))
    const current = await store.readCurrentOfDevices(client, deviceIds(this.#city))
    let right = 0
    for (const { twinId, key, timeMs, value } of current) {
      const newest = byId.get(twinId)
      const expected = newest && (valuesOf(newest) as Record<string, number>)[key]
      if (newest && timeMs === newest.timeMs && value === expected) right++
    }
    const wrong = byId.size * valueKeys.length - right
    const { watches } = this.#city
    const followed = await store.readCurrent(
      client,
      watches.flatMap(({ followerId, noteId }) => [followerId, noteId]),
    )
    const wrongOf = ({ device, followerId, noteId }: Watch): number => {
      const entries = sent.get(device) ?? []
      const newest = newestOf(entries)
      const follower = followed.get(followerId)
      const followerRight = follower?.timeMs === newest?.timeMs && follower?.value === newest?.temperature
      const lastWarm = entries.findLast(({ isWarm }) => isWarm)
      const noteRight = (followed.get(noteId)?.value ?? null) === (lastWarm?.temperature ?? null)
      return Number(!followerRight) + Number(!noteRight)
    }
    return watches.reduce((sum, watch) => sum + wrongOf(watch), wrong)
  }

  async #rules(client: pg.Client, sent: ReadonlyMap<ChaosDevice, readonly Entry[]>) {
    const { watches } = this.#city
    const [ruleIds, echoIds] = [watches.map(({ ruleId }) => ruleId), watches.map((each) => each.echoRuleId)]
    const { done, failed, last } = await store.readFired(
      client,
      [...ruleIds, ...echoIds],
      this.#lastExecution,
    )
    for (const { id, temperature, times } of done) count(this.#fired, `${id} ${temperature}`, times)
    for (const { id, temperature } of await store.readSimultaneous(client, ruleIds, this.#lastExecution))
      this.#simultaneous.add(`${id} ${temperature}`)
    const held = await store.readHeld(client, [...ruleIds, ...echoIds], this.#lastExecution)
    for (const { id, temperature, times } of held) count(this.#held, `${id} ${temperature}`, times)
    this.#lastExecution = last
    this.#failedRuns += failed
    const notes = counted(
      await store.readNotes(
        client,
        watches.map(({ noteId }) => noteId),
      ),
    )
    const mails = counted(await store.readMails(client, [...ruleIds, ...echoIds]))
    // A mail suppressed by a limit is neither missed nor sent: the execution records it.
    for (const [key, times] of this.#held) count(mails, key, times)
    const alarms = await store.readAlarms(client, ruleIds)

    let [rulesMissed, rulesDoubled] = [0, 0]
    this.#deviations = []
    const compare = (effect: string, { device }: Watch, expected: number, found: number) => {
      if (expected === found) return
      rulesMissed += Math.max(0, expected - found)
      rulesDoubled += Math.max(0, found - expected)
      this.#deviations.push(`${device.devEui} ${effect}: ${found} instead of ${expected}`)
    }
    for (const watch of watches) {
      const { device, ruleId, noteId, echoRuleId } = watch
      const entries = sent.get(device) ?? []
      for (const { isWarm, temperature } of entries) {
        if (!isWarm) continue
        const at = `at ${temperature}`
        compare(`fired ${at}`, watch, 1, this.#fired.get(`${ruleId} ${temperature}`) ?? 0)
        const stands = this.#simultaneous.has(`${ruleId} ${temperature}`) ? 1 : 0
        const noted = Math.max(stands, notes.get(`${noteId} ${temperature}`) ?? 0)
        compare(`set the state ${at}`, watch, 1, noted)
        compare(`mail ${at}`, watch, 1, mails.get(`${ruleId} ${temperature}`) ?? 0)
        // Of two values set at the same time only the newer one is current and triggers the next rule: it may
        // not have fired.
        for (const [name, echoed] of [
          ['echo fired', this.#fired] as const,
          ['mail of the echo', mails] as const,
        ])
          compare(`${name} ${at}`, watch, 1, Math.max(1, echoed.get(`${echoRuleId} ${temperature}`) ?? 0))
      }
      const { raised, open } = alarms.get(ruleId) ?? { raised: 0, open: 0 }
      compare('alarms', watch, warmStretches(entries), raised)
      compare('open alarms', watch, Number(entries.at(-1)?.isWarm ?? false), open)
    }
    return { rulesMissed, rulesDoubled }
  }
}

function deviceIds({ lines }: City): number[] {
  return lines.flatMap(({ devices }) => devices.map(({ id }) => id))
}

function newestOf(entries: readonly Entry[]): Entry | undefined {
  return entries.reduce<Entry | undefined>(
    (newest, entry) => (newest === undefined || entry.timeMs > newest.timeMs ? entry : newest),
    undefined,
  )
}

function count(times: Map<string, number>, name: string, more: number): void {
  times.set(name, (times.get(name) ?? 0) + more)
}

function counted(done: readonly store.Done[]): Map<string, number> {
  return new Map(done.map(({ id, temperature, times }) => [`${id} ${temperature}`, times]))
}
