// The flooding process of `bench flood`, separate so that floods do not slow down the measurement.
import { constants, setPriority } from 'node:os'
import { countStored, openDatabase, type Stored } from '../database.ts'
import { attack, attacks, looping } from '../hostile/attacks.ts'
import { closedLoop, greet, Ledger, openLoop } from '../load/drive.ts'
import { openRoutes, type Routes } from '../load/open.ts'
import type { Answer, Flood, Flooded, Question } from './messages.ts'

type Prepared = Extract<Question, { ask: 'prepare' }>['groups'][number] & { ledger: Ledger }

/** Maximum uplinks of a group in a run; each costs a byte. */
const uplinksMax = 30_000_000
/** A rejected sender retries at once, for a machine; a polite one would wait for a second. */
const againMs = 10

let groups: Prepared[] = []
let opened: Routes | undefined
const stop = new AbortController()

function groupOf({ protocol }: Flood): Prepared {
  const group = groups.find((each) => each.protocol === protocol)
  if (group === undefined) throw new Error(`there are no devices that flood over ${protocol}`)
  return group
}

async function prepare(asked: Extract<Question, { ask: 'prepare' }>): Promise<void> {
  groups = asked.groups.map((group) => ({ ...group, ledger: new Ledger(uplinksMax) }))
  for (const group of groups) {
    await using routes = await openRoutes(group)
    await greet(routes.routes, group.ledger, stop.signal)
  }
}

async function open(flood: Flood): Promise<void> {
  const { connections } = flood
  const shape = connections === null ? [] : ([{ connections, window: 1 }] as const)
  opened = await openRoutes(groupOf(flood), ...shape)
}

async function run(flood: Flood, seconds: number): Promise<Flooded> {
  if (opened === undefined) throw new Error('no connection is open')
  const { ledger } = groupOf(flood)
  const before = process.cpuUsage()
  const { rate } = flood
  const phase =
    rate === null
      ? await closedLoop(opened.routes, ledger, seconds, stop.signal, againMs)
      : await openLoop(opened.routes, ledger, { seconds, rate }, stop.signal)
  const { user, system } = process.cpuUsage(before)
  return {
    seconds: phase.seconds,
    sent: phase.sent,
    acknowledged: phase.acknowledged,
    acknowledgedPerSecond: phase.uplinksPerSecond,
    cpuSeconds: (user + system) / 1e6,
  }
}

async function count({ database }: Extract<Question, { ask: 'count' }>): Promise<Stored> {
  await using client = await openDatabase(database)
  const total: Stored = { stored: 0, lost: 0, duplicated: 0 }
  for (const { accountId, ledger } of groups) {
    const own = await countStored(client, accountId, ledger)
    for (const key of ['stored', 'lost', 'duplicated'] as const) total[key] += own[key]
  }
  return total
}

async function answer(question: Question): Promise<Answer> {
  switch (question.ask) {
    case 'prepare':
      await prepare(question)
      return { done: true }
    case 'open':
      await open(question.flood)
      return { done: true }
    case 'run':
      return { flooded: await run(question.flood, question.seconds) }
    case 'close':
      await opened?.[Symbol.asyncDispose]()
      return { done: true }
    case 'attack': {
      const before = process.cpuUsage()
      const attacked = await attack(
        question.target,
        question.seconds,
        stop.signal,
        question.kind === 'looping' ? looping : attacks,
      )
      const { user, system } = process.cpuUsage(before)
      return { attacked, cpuSeconds: (user + system) / 1e6 }
    }
    case 'count':
      return { counted: await count(question) }
  }
}

// Where `chrt` is missing.
setPriority(constants.priority.PRIORITY_LOW)
process.once('disconnect', () => process.exit(0))
process.on('message', (question: Question) => {
  answer(question)
    .catch((error: unknown): Answer => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((said) => process.send?.(said))
})
