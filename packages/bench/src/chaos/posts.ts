import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Api } from '../client.ts'
import { createAccount, inParallel } from '../fleet.ts'
import { admin } from '../platform.ts'
import type { Random } from './random.ts'

/** Mails shortly before each fault; each comes from an account of its own, whose mails to a recipient are limited. */
const postsPerFault = 4
const faultsPerAccount = 12
const againMs = 100
/** The mail server is in the middle of some of them when the fault comes. */
const leadMsMax = 1500

/** A state whose values each are a mail. */
export interface Post {
  stateId: number
  ruleId: number
  /** accepted values */
  accepted: number
}

/** @param faults of the run */
export async function addPosts(api: Api, faults: number, signal: AbortSignal): Promise<Post[]> {
  const count = postsPerFault * Math.max(1, Math.ceil(faults / faultsPerAccount))
  return inParallel(count, signal, async (index) => {
    const account = await createAccount(api)
    const twin = await api.digitaltwin.create({
      title: `Post office ${index}`,
      type: 'room',
      accountId: account.id,
    })
    const state = await api.state.create({
      dtwinId: twin.id,
      key: 'letters',
      title: 'Letters',
      valueType: 'number',
      source: 'platform',
      sourceSettings: {},
    })
    const rule = await api.ddr.create({
      dtwinId: twin.id,
      title: `Post ${index}`,
      metrics: [{ alias: 'letters', stateId: state.id }],
      conditions: { op: 'gt', left: { metric: 'letters' }, right: { value: 0 } },
      actions: [{ kind: 'email', recipients: [admin.username], subject: '{{letters}}', body: '' }],
    })
    return { stateId: state.id, ruleId: rule.id, accepted: 0 }
  })
}

/** Causes some mails, and waits until the mail server may be in the middle of them. @param place of the fault, from 0 */
export async function post(
  api: Api,
  posts: readonly Post[],
  place: number,
  random: Random,
): Promise<{ leadMs: number }> {
  const group = Math.floor(place / faultsPerAccount) * postsPerFault
  for (const each of posts.slice(group, group + postsPerFault)) {
    await setOnce(api, each.stateId, place + 1)
    each.accepted++
  }
  return { leadMs: random.whole(0, leadMsMax) }
}

/** A connection may break whose node was killed, stopped or cut off; whether it did its work first, the value says. */
async function setOnce(api: Api, id: number, value: number): Promise<void> {
  for (;;) {
    try {
      await api.state.setValue({ id, value })
      return
    } catch (error) {
      if (!isBroken(error)) throw error
    }
    if ((await currentOf(api, id)) === value) return
  }
}

async function currentOf(api: Api, id: number): Promise<unknown> {
  for (;;) {
    try {
      return (await api.state.get({ id })).value
    } catch (error) {
      if (!isBroken(error)) throw error
    }
    await delay(againMs)
  }
}

/** As `fetch` fails when there is no answer. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError
}

/** @returns how many mails are missing, and how many there are too many */
export async function auditPosts(
  client: pg.Client,
  posts: readonly Post[],
): Promise<{ missed: number; doubled: number; deviations: string[] }> {
  const { rows } = await client.query<{ id: number; mails: number }>(
    `select r.id, count(m.id)::int as mails from unnest($1::int[]) as r(id)
    left join mails m on (m.origin->>'ruleId')::int = r.id group by r.id`,
    [posts.map(({ ruleId }) => ruleId)],
  )
  const written = new Map(rows.map(({ id, mails }) => [id, mails]))
  const surplus = posts.map(({ ruleId, accepted }) => (written.get(ruleId) ?? 0) - accepted)
  return {
    missed: surplus.reduce((sum, count) => sum + Math.max(0, -count), 0),
    doubled: surplus.reduce((sum, count) => sum + Math.max(0, count), 0),
    deviations: posts.flatMap(({ ruleId, accepted }) => {
      const count = written.get(ruleId) ?? 0
      return count === accepted ? [] : [`rule ${ruleId} has written ${count} mails for ${accepted} values`]
    }),
  }
}
