import { randomBytes } from 'node:crypto'
import { type Api, createApi } from '../client.ts'
import { createAccount } from '../fleet.ts'
import type { Platform } from '../platform.ts'

/** The attacking account. */
export interface HostileTarget {
  url: string
  mqttPort: number
  accountId: number
  /** session of an administrator of the account, without rights elsewhere */
  token: string
  mqttUsername: string
  /** of the connector, e.g. `/api/hooks/key` */
  hookPath: string
  /** devices of the connector whose drivers and transformers attack, by their external ids */
  devices: readonly string[]
  /** the one whose values go through transformers that never end */
  looping: string
}

/** Drivers for the account's live traffic. Each takes as many resources as it can. */
const drivers: Readonly<Record<string, string>> = {
  loop: 'module.exports = function () { for (;;); }',
  memory: 'module.exports = function () { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) }',
  crash: 'module.exports = function () { return "x".repeat(5e8).split("") }',
  answer: `module.exports = function (payload) {
    const o = {}; for (let i = 0; i < 190; i++) o['key' + i] = 'x'.repeat(300); o.payload = String(payload); return o }`,
  deep: `module.exports = function () {
    let a = []; for (let i = 0; i < 60000; i++) a = [a]
    const text = '[' + '['.repeat(60000) + ']'.repeat(60000) + ']'
    Error.prepareStackTrace = (e, frames) => frames.map((frame) => frame.getThis())
    for (const own of new Error().stack) if (own && own.call) own.call = () => text
    return a }`,
  regex: 'module.exports = function () { return /^(a+)+$/.test("a".repeat(60) + "b") }',
}

/** Makes an account with an administrator of its own, a webhook, a broker access, and devices with hostile drivers. */
export async function buildHostile(
  api: Api,
  platform: Pick<Platform, 'url' | 'mqttPort'>,
): Promise<HostileTarget> {
  const account = await createAccount(api)
  const accountId = account.id
  const own = await administratorOf(api, platform.url, account)
  const hook = await own.api.bridge.create({
    accountId,
    kind: 'webhook-in',
    name: 'Hostile webhook',
    settings: { preset: 'standard' },
  })
  const mqttUsername = `hostile-${accountId}`
  await own.api.bridge.create({
    accountId,
    kind: 'mqtt-broker',
    name: 'Hostile broker',
    settings: {
      preset: 'standard',
      username: mqttUsername,
      password: randomBytes(18).toString('base64url'),
      publishTopics: ['hostile/#'],
      subscribeTopics: [],
    },
  })
  const devices: string[] = []
  for (const [name, script] of Object.entries(drivers)) {
    const driver = await own.api.devicedrivers.create({ accountId, title: `Hostile ${name}`, script })
    const externalId = `hostile-${accountId}-${name}`
    await own.api.virtualdevice.create({
      title: `Hostile ${name}`,
      externalId,
      connectorId: hook.id,
      driverId: driver.id,
      operationalStatus: 3,
    })
    devices.push(externalId)
  }
  const looping = await transformedDevice(own.api, accountId, hook.id)
  devices.push(looping)
  return {
    url: platform.url,
    mqttPort: platform.mqttPort,
    accountId,
    token: own.token,
    mqttUsername,
    hookPath: `/api/hooks/${hook.key ?? ''}`,
    devices,
    looping,
  }
}

/** A device one of whose values goes through a transformer that never ends, and the other through that of a twin. */
async function transformedDevice(api: Api, accountId: number, connectorId: number): Promise<string> {
  const externalId = `hostile-${accountId}-transformer`
  const driver = await api.devicedrivers.create({
    accountId,
    title: 'Hostile transformer',
    script: 'module.exports = function () { return { level: 1, other: 2 } }',
    variables: [
      { key: 'level', title: 'Level' },
      { key: 'other', title: 'Other' },
    ],
  })
  const { id } = await api.virtualdevice.create({
    title: 'Hostile transformer',
    externalId,
    connectorId,
    driverId: driver.id,
    operationalStatus: 3,
  })
  const { items } = await api.digitaltwin.states({ id })
  const state = items.find(({ key }) => key === 'level')
  if (state === undefined) throw new Error('the device has no state for its variable')
  const { value: _, time: __, twinId: ___, position: ____, ...fields } = state
  await api.state.update({ ...fields, transformer: 'if (value === 1) for (;;); return value' })
  const source = items.find(({ key }) => key === 'other')
  if (source === undefined) throw new Error('the device has no state for its other variable')
  const twin = await api.digitaltwin.create({ title: 'Hostile twin', type: 'room', accountId })
  await api.state.create({
    dtwinId: twin.id,
    key: 'computed',
    title: 'Computed',
    valueType: 'number',
    source: 'virtual-device-aggregate',
    sourceSettings: { stateIds: [source.id], method: 'latest' },
    transformer: 'if (value === 2) for (;;); return value',
  })
  return externalId
}

/** Invites an administrator of the account and sets the password, as a user would. @returns a session */
async function administratorOf(api: Api, url: string, account: CreatedAccount): Promise<Session> {
  const { items: roles } = await api.acl.listRoles({})
  const role = roles.find(({ key }) => key === 'accountAdministrator')
  if (role === undefined) throw new Error('there is no role of account administrators')
  const username = `hostile-${account.id}`
  const email = `${username}@example.org`
  const access = [{ scopeId: account.scopeId, roleId: role.id, isMain: true }]
  await api.user.create({ accountId: account.id, username, email, access })
  const { items: mails } = await api.mail.list({ limit: 20 })
  const invitation = mails.find(({ recipients }) => recipients.includes(email))
  const invited = /token=([\w-]+)/.exec(invitation?.body ?? '')?.[1]
  if (invited === undefined) throw new Error('the invitation holds no link')
  const password = randomBytes(24).toString('base64url')
  await createApi(url).password.reset({ token: invited, password })
  const { token } = await createApi(url).auth.login({ username, password })
  return { api: createApi(url, token), token }
}

type CreatedAccount = Awaited<ReturnType<typeof createAccount>>

interface Session {
  api: Api
  token: string
}
