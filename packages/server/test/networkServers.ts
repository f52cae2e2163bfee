import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The device registries of The Things Stack and ChirpStack, written from the documentation of their APIs:
 * same requests and responses as the real ones.
 */

interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** A network server on its own port. */
export abstract class NetworkServer implements AsyncDisposable {
  /** `METHOD /path`, without the query, in order */
  readonly asked: string[] = []
  /** replaces the response while set */
  failing: ((response: ServerResponse) => void) | undefined
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  protected abstract reply(method: string, url: URL, request: IncomingMessage): Reply

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method = '' } = request
    const url = new URL(request.url ?? '', this.url)
    this.asked.push(`${method} ${url.pathname}`)
    if (this.failing) {
      this.failing(response)
      return
    }
    const { status = 200, headers = {}, body = {} } = this.reply(method, url, request)
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}

interface TtsDevice {
  ids: { device_id: string; dev_eui?: string }
  name?: string
  description?: string
  last_seen_at?: string
  locations?: Record<string, { latitude?: number; longitude?: number; source?: string }>
  network_server_address?: string
  application_server_address?: string
  join_server_address?: string
}

export const ttsKey = 'NNSXS.RIGHT'

/** An application `app1` of The Things Stack. https://www.thethingsindustries.com/docs/api/reference/http/ */
export class TheThingsStack extends NetworkServer {
  devices: TtsDevice[] = []

  protected reply(method: string, url: URL, request: IncomingMessage): Reply {
    // An unknown key is rejected.
    if (request.headers.authorization !== `Bearer ${ttsKey}`) return notFound('api_key_not_found')
    const { searchParams: query } = url
    const path = url.pathname.replace('/api/v3', '')
    if (path === '/applications/app1/devices') return this.#page(this.devices, query)
    if (path === '/search/applications/app1/devices') {
      const contains = (text: string | undefined, part: string | null) =>
        part !== null && text?.toLowerCase().includes(part.toLowerCase()) === true
      const found = this.devices.filter(({ ids, name, description }) =>
        query.has('dev_eui_contains')
          ? contains(ids.dev_eui, query.get('dev_eui_contains'))
          : [ids.device_id, ids.dev_eui, name, description].some((each) =>
              contains(each, query.get('query')),
            ),
      )
      return this.#page(found, query)
    }
    const [, part, id] = /^(?:\/(as|ns|js))?\/applications\/app1\/devices\/([a-z0-9-]+)$/.exec(path) ?? []
    const device = this.devices.find(({ ids }) => ids.device_id === id)
    if (!device) return notFound('end_device_not_found')
    if (method === 'GET') return { body: device }
    if (part === undefined) this.devices = this.devices.filter((each) => each !== device)
    return {}
  }

  #page(devices: readonly TtsDevice[], query: URLSearchParams): Reply {
    const limit = Number(query.get('limit'))
    const from = (Math.max(Number(query.get('page')), 1) - 1) * limit
    const end_devices = devices.slice(from, from + limit)
    // An empty list is omitted, like all empty fields.
    return {
      headers: { 'x-total-count': String(devices.length) },
      body: end_devices.length === 0 ? {} : { end_devices },
    }
  }
}

interface ChirpStackDevice {
  devEui: string
  name: string
  description?: string
  lastSeenAt?: string
  applicationId?: string
}

export const chirpStackKey = 'eyJ0eXAi.RIGHT'
export const chirpStackApplication = '52f14cd4-c6f1-4fbd-8f87-4025e1d49242'

/** An application of ChirpStack v4 for the key of a tenant. https://www.chirpstack.io/docs/chirpstack/api/ */
export class ChirpStack extends NetworkServer {
  devices: ChirpStackDevice[] = []

  protected reply(method: string, url: URL, request: IncomingMessage): Reply {
    const { searchParams: query } = url
    if (request.headers['grpc-metadata-authorization'] !== `Bearer ${chirpStackKey}`) return unauthenticated
    if (url.pathname === '/api/devices') {
      const application = query.get('applicationId')
      if (application !== chirpStackApplication) return unauthenticated
      const search = (query.get('search') ?? '').toLowerCase()
      const own = this.devices.filter(
        ({ applicationId = chirpStackApplication }) => applicationId === application,
      )
      const found = own.filter(({ name, devEui }) => `${name} ${devEui}`.toLowerCase().includes(search))
      const from = Number(query.get('offset') ?? 0)
      const result = found.slice(from, from + Number(query.get('limit') ?? 0))
      return {
        body: { totalCount: found.length, result: result.map(({ applicationId: _, ...item }) => item) },
      }
    }
    const [, devEui] = /^\/api\/devices\/([0-9a-f]{16})$/.exec(url.pathname) ?? []
    const device = this.devices.find((each) => each.devEui === devEui)
    // Permission is checked first, and a missing device is reported as unauthenticated.
    if (!device) return unauthenticated
    if (method === 'DELETE') {
      this.devices = this.devices.filter((each) => each !== device)
      return {}
    }
    const { lastSeenAt, applicationId = chirpStackApplication, ...rest } = device
    const times = { createdAt: '2026-01-01T00:00:00Z', lastSeenAt: lastSeenAt ?? null }
    return { body: { device: { ...rest, applicationId }, ...times } }
  }
}

const unauthenticated: Reply = {
  status: 401,
  body: { code: 16, message: 'Authentication failed', details: [] },
}

function notFound(name: string): Reply {
  return {
    status: 404,
    body: { code: 5, message: `error:pkg/identityserver:${name} (not found)`, details: [] },
  }
}
