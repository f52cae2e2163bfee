import type { Platform } from './server.ts'

/** Calls the API as one user. */
export interface Caller {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
}

/** @throws when a response is not a success */
export const callerOf = (platform: Pick<Platform, 'api'>, token: string): Caller => ({
  get: (path) => platform.api('GET', path, undefined, token),
  post: (path, body) => platform.api('POST', path, body, token),
  put: (path, body) => platform.api('PUT', path, body, token),
  delete: (path) => platform.api('DELETE', path, undefined, token),
})

interface Account {
  id: number
  scopeId: number
}

interface Connector {
  id: number
  accountId: number
  /** of a new webhook */
  key: string
  endpoints: string[]
}

/** Test fixtures of an account, created over the API. */
export interface Things {
  account(name: string, parentId?: number): Promise<Account>
  /** a webhook by default */
  connector(name: string, settings?: object, more?: object): Promise<Connector>
  /** another key of the webhook with this name; earlier ones stay valid */
  key(connector: string): Promise<string>
  driver(title: string, script: string, more?: object): Promise<{ id: number; version: number }>
  device(
    title: string,
    externalId: string,
    more: { connectorId: number; driverId?: number; acceptDriver?: number; tags?: string[] },
  ): Promise<{ id: number }>
  /** the id of the role with this name */
  role(name: string): Promise<number>
  /** a user with one role in one account; without a mail server no mail is sent */
  user(name: string, account: Account, role: string | number, more?: object): Promise<{ id: number }>
}

/** @param accountId default account of the created objects */
export function thingsFor({ get, post }: Caller, accountId: number): Things {
  const role = async (name: string) => {
    const { items } = await get<{ items: { id: number; name: string }[] }>('/acl/role')
    const found = items.find((one) => one.name === name)
    if (!found) throw new Error(`there is no role ${name}`)
    return found.id
  }
  return {
    account: (name, parentId = accountId) => post('/tenant', { name, parentId }),
    connector: (name, settings = {}, more = {}) =>
      post('/bridge/configs', { accountId, kind: 'webhook-in', name, settings, ...more }),
    async key(connector) {
      const search = encodeURIComponent(connector)
      const { items } = await get<{ items: { id: number; name: string }[] }>(
        `/bridge/configs?search=${search}`,
      )
      const id = items.find(({ name }) => name === connector)?.id
      if (!id) throw new Error(`there is no connector ${connector}`)
      return (await post<{ key: string }>(`/bridge/configs/${id}/keys`, {})).key
    },
    driver: (title, script, more = {}) => post('/devicedrivers', { accountId, title, script, ...more }),
    device: (title, externalId, more) => post('/virtualdevice', { title, externalId, ...more }),
    role,
    async user(name, account, roleOf, more = {}) {
      const roleId = typeof roleOf === 'number' ? roleOf : await role(roleOf)
      const access = [{ scopeId: account.scopeId, roleId, isMain: true }]
      return post('/user', {
        username: name,
        email: `${name}@example.org`,
        accountId: account.id,
        access,
        ...more,
      })
    },
  }
}
