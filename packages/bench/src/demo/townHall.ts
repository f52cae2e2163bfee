import { randomBytes, randomUUID } from 'node:crypto'
import { connectAsync, type MqttClient } from 'mqtt'
import type { Api } from '../client.ts'
import type { CityIds } from './build.ts'
import { place } from './city.ts'

const controlName = 'Türsteuerung Rathaus'
const username = 'demo-doors'
/** Of the caretaker, who has a key for working hours. */
const caretaker = 'hausmeisterei@sonnenhausen.example'
/** How long a lock is open after it was asked to open. */
const openMs = 5_000

/** A door with what its lock is called on the wire; null: it has no lock yet. */
const doors = [
  { title: 'Haupteingang Rathaus', lock: 'haupteingang', at: [0.06, 0] },
  { title: 'Tür Serverraum', lock: 'serverraum', at: [0.02, 0.05] },
  { title: 'Nebeneingang Hof', lock: null, at: [-0.05, -0.04] },
] as const

/** The lock that does not answer: somebody has cut its power. */
const silent = 'serverraum'

/**
 * Doors of the town hall, with keys for the administrator and a caretaker.
 * @returns the locks, which answer until they are disposed of
 */
export async function openTownHall(
  api: Api,
  { accounts, twins }: CityIds,
  mqttPort: number,
): Promise<DoorLocks> {
  const accountId = accounts.buildings
  const { id: connectorId, password } = await buildControl(api, accountId)
  const locks = await DoorLocks.open(mqttPort, password)
  const known = await api.isfmAccessMgmt.locks({ accountIds: [accountId] })
  if (known.total === 0) await buildLocks(api, { accountId, connectorId, twins })
  return locks
}

/** The connector of the locks; every start gives it a new password, since the platform keeps a hash only. */
async function buildControl(api: Api, accountId: number): Promise<{ id: number; password: string }> {
  const { items } = await api.bridge.list({ limit: 100, accountIds: [accountId] })
  const password = randomBytes(18).toString('base64url')
  const known = items.find(({ name }) => name === controlName)
  const settings = { username, password, publishTopics: ['doors/#'], subscribeTopics: ['doors/#'] }
  const { id } =
    known === undefined
      ? await api.bridge.create({ accountId, kind: 'mqtt-broker', name: controlName, settings })
      : await api.bridge.update({ ...known, settings: { ...known.settings, password } })
  return { id, password }
}

async function buildLocks(
  api: Api,
  { accountId, connectorId, twins }: { accountId: number; connectorId: number; twins: CityIds['twins'] },
): Promise<void> {
  const parentId = twins.get('Rathaus Erdgeschoss')
  if (parentId === undefined) throw new Error('the town hall has no ground floor')
  const lockIds: number[] = []
  for (const { title, lock, at } of doors) {
    const twinId =
      twins.get(title) ??
      (await api.digitaltwin.create({ parentId, title, type: 'door', ...place(at[0], at[1]) })).id
    if (lock === null) continue
    const { id: stateId } = await api.state.create({
      dtwinId: twinId,
      key: 'lock',
      title: 'Schloss offen',
      valueType: 'boolean',
      source: 'connector',
      sourceSettings: { connectorId, identifier: lock, variable: 'open' },
    })
    const made = await api.isfmAccessMgmt.createLock({
      twinId,
      way: {
        kind: 'connector-command',
        connectorId,
        topic: `doors/${lock}/command`,
        payload: '{"open":true}',
      },
      report: { stateId, value: true },
      waitSeconds: 10,
    })
    lockIds.push(made.id)
  }
  const group = await api.isfmAccessMgmt.createGroup({ accountId, title: 'Rathaus', lockIds })
  await giveKeys(api, { accountId, groupId: group.id, lockIds })
}

async function giveKeys(
  api: Api,
  { accountId, groupId, lockIds }: { accountId: number; groupId: number; lockIds: readonly number[] },
): Promise<void> {
  const { user } = await api.auth.verify({})
  if (user === null) throw new Error('the demo city is built by a person')
  const userId = await hireCaretaker(api, accountId)
  const validFrom = new Date().toISOString()
  const note = 'Hausmeisterei'
  const hours = { from: '06:00', until: '18:00' }
  await api.isfmAccessMgmt.create({ userId, groupId, validFrom, weekdays: [1, 2, 3, 4, 5], hours, note })
  for (const lockId of lockIds) {
    const key = await api.isfmAccessMgmt.create({ userId: user.id, lockId, validFrom })
    // So that there is something in the log: one door that opens, and one that does not answer.
    await api.isfmAccessMgmt.activateLock({ id: key.id, requestId: randomUUID() })
  }
}

/** @returns the id of a person who opens doors with keys */
async function hireCaretaker(api: Api, accountId: number): Promise<number> {
  const { items: known } = await api.user.list({ search: caretaker, limit: 1 })
  if (known[0] !== undefined) return known[0].id
  const { items: accounts } = await api.tenant.fetchAll()
  const { items: roles } = await api.acl.listRoles({ limit: 100 })
  const scopeId = accounts.find(({ id }) => id === accountId)?.scopeId
  const roleId = roles.find(({ key }) => key === 'keyHolder')?.id
  if (scopeId === undefined || roleId === undefined) throw new Error('there is no role for a caretaker')
  const { id } = await api.user.create({
    accountId,
    username: caretaker,
    email: caretaker,
    firstName: 'Petra',
    lastName: 'Linde',
    invite: false,
    access: [{ scopeId, roleId, isMain: true }],
  })
  return id
}

/** The simulated locks: one opens and says so, and closes again after a while; the other is silent. */
class DoorLocks implements AsyncDisposable {
  readonly #mqtt: MqttClient
  readonly #closing = new Map<string, NodeJS.Timeout>()

  private constructor(mqtt: MqttClient) {
    this.#mqtt = mqtt
    mqtt.on('message', (topic) => this.#onCommand(topic.split('/')[1] ?? ''))
  }

  static async open(mqttPort: number, password: string): Promise<DoorLocks> {
    const mqtt = await connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      username,
      password,
      clientId: 'demo-doors',
    })
    const locks = new DoorLocks(mqtt)
    await mqtt.subscribeAsync('doors/+/command', { qos: 1 })
    return locks
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#closing.values()) clearTimeout(timer)
    await this.#mqtt.endAsync()
  }

  #onCommand(lock: string): void {
    if (lock === silent) return
    this.#report(lock, true)
    clearTimeout(this.#closing.get(lock))
    this.#closing.set(
      lock,
      setTimeout(() => this.#report(lock, false), openMs),
    )
  }

  #report(lock: string, open: boolean): void {
    const packet = JSON.stringify({ identifier: lock, data: { open } })
    this.#mqtt.publish(`doors/${lock}/state`, packet, { qos: 1 }, (error) => {
      if (error) console.error(`demo city: the lock ${lock} could not report: ${error.message}`)
    })
  }
}
