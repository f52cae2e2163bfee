import { type Api, createAccount, createUser, roleNamed, type TestApp } from '../kit.ts'

interface Account {
  id: number
  scopeId: number
  name: string
}

interface Person {
  id: number
  username: string
  api: Api
  token: string
}

/** An account with users, a webhook and a device that sends its bytes as a number. */
export interface Tenant extends Account {
  administrator: Person
  viewer: Person
  hook: string
  /** its external id is `<name> canary` */
  deviceId: number
  /** Sends a body to the webhook. @returns the status and the response */
  post(body: unknown): Promise<{ status: number; answer: unknown }>
  /** Sends a packet of the device and checks that its value was stored. */
  isServed(): Promise<boolean>
}

let serial = 0

/** Source of a driver that reads its bytes as a number. */
export const honest = 'module.exports = function (payload) { return { level: parseInt(payload, 16) } }'

/** A tenant directly below the root account. */
export async function createTenant(app: TestApp, title: string): Promise<Tenant> {
  const account = await createAccount(app, { name: `${title} ${++serial}` })
  const administrator = await createUser(app, account, [
    { roleId: await roleNamed(app, 'Account administrator') },
  ])
  const viewer = await createUser(app, account, [{ roleId: await roleNamed(app, 'Viewer') }])
  const { api } = administrator
  const connector = await api.bridge.create({
    accountId: account.id,
    kind: 'webhook-in',
    name: 'Webhook',
    settings: { preset: 'standard' },
  })
  const driver = await api.devicedrivers.create({
    accountId: account.id,
    title: 'Honest',
    script: honest,
    variables: [{ key: 'level', title: 'Level' }],
  })
  const externalId = `${account.name} canary`
  const { id: deviceId } = await api.virtualdevice.create({
    title: 'Canary',
    externalId,
    connectorId: connector.id,
    driverId: driver.id,
    operationalStatus: 3,
  })
  const hook = `${app.url}/api/hooks/${connector.key ?? ''}`
  const post = async (body: unknown) => {
    const reply = await fetch(hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: reply.status, answer: await reply.json() }
  }
  let sent = 0
  const isServed = async () => {
    sent += 1
    // Two bytes, so that each packet of a test file is different.
    const level = sent
    const { status } = await post({ identifier: externalId, data: level.toString(16).padStart(4, '0') })
    const { items } = await api.virtualdevice.packets({ id: deviceId, limit: 50 })
    return status === 200 && items.some(({ variables }) => variables?.level === level)
  }
  return { ...account, administrator, viewer, hook, deviceId, post, isServed }
}

/** A device of the tenant with its own driver. @returns its external id */
export async function createDriverDevice(
  tenant: Tenant,
  connectorId: number,
  script: string,
): Promise<string> {
  const { api } = tenant.administrator
  const title = `Device ${++serial}`
  const driver = await api.devicedrivers.create({ accountId: tenant.id, title, script })
  const externalId = `${tenant.name} ${serial}`
  await api.virtualdevice.create({
    title,
    externalId,
    connectorId,
    driverId: driver.id,
    operationalStatus: 3,
  })
  return externalId
}
