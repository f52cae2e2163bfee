import { afterAll, beforeEach, vi } from 'vitest'

export const origin = 'http://console.test'

/** A call of the console, as the server receives it. */
export interface Call {
  /** `GET /auth/verify`, without `/api` */
  route: string
  query: Record<string, string>
  body: unknown
  token: string | null
}

type Answer = (call: Call) => unknown

/** Storage of a browser; while `isBlocked`, every use throws, as with cookies turned off. */
class MemoryStorage {
  readonly kept = new Map<string, string>()
  isBlocked = false

  getItem(key: string): string | null {
    this.#use()
    return this.kept.get(key) ?? null
  }

  setItem(key: string, value: string): void {
    this.#use()
    this.kept.set(key, value)
  }

  removeItem(key: string): void {
    this.#use()
    this.kept.delete(key)
  }

  clear(): void {
    this.#use()
    this.kept.clear()
  }

  #use(): void {
    if (this.isBlocked) throw new DOMException('denied', 'SecurityError')
  }
}

/** Modules listen to the window when they are loaded, and files of a worker share modules: there is one window. */
const window = new EventTarget()
const local = new MemoryStorage()
const session = new MemoryStorage()
const location = { origin, hostname: 'console.test', pathname: '/', search: '', hash: '', reload: () => {} }
const document = Object.assign(new EventTarget(), {
  visibilityState: 'visible',
  documentElement: { lang: '' },
})
const calls: Call[] = []
const answers = new Map<string, Answer>()

async function receive(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const text = await request.text()
  const call: Call = {
    route: `${request.method} ${pathname.replace(/^\/api/, '')}`,
    query: Object.fromEntries(searchParams),
    body: text === '' ? undefined : JSON.parse(text),
    token: request.headers.get('authorization')?.replace(/^Bearer /, '') ?? null,
  }
  calls.push(call)
  const answer = answers.get(call.route)
  if (!answer) throw new TypeError(`fetch failed: no answer for ${call.route}`)
  const reply = await answer(call)
  return reply instanceof Response ? reply : Response.json(reply ?? {})
}

/** An error as the server sends it. */
export function refusal(status: number, code: string, data: object = {}): Response {
  return Response.json({ code, message: code, data, requestId: 'r-1' }, { status })
}

/**
 * The parts of a browser that the console uses besides the page, and a server with given answers. Call it before
 * importing what needs them: `const browser = openBrowser(); const { login } = await import('./session.ts')`.
 */
export function openBrowser() {
  const reload = vi.fn()
  const install = () => {
    vi.stubGlobal('window', Object.assign(window, { localStorage: local, sessionStorage: session, location }))
    vi.stubGlobal('location', Object.assign(location, { reload, search: '', hash: '' }))
    vi.stubGlobal('document', document)
    vi.stubGlobal('localStorage', local)
    vi.stubGlobal('sessionStorage', session)
    vi.stubGlobal('fetch', receive)
  }
  install()
  beforeEach(() => {
    install()
    reload.mockClear()
    calls.length = 0
    answers.clear()
    for (const storage of [local, session]) {
      storage.isBlocked = false
      storage.clear()
    }
  })
  afterAll(() => void vi.unstubAllGlobals())
  return {
    window,
    location,
    local,
    session,
    reload,
    /** all calls of this test, in their order */
    calls,
    /** Sets what the server answers to `GET /auth/verify`; other calls fail as without a network. */
    answer: (route: string, answer: Answer | object) => {
      answers.set(route, typeof answer === 'function' ? (answer as Answer) : () => answer)
    },
    /** Takes the server away from the network. */
    disconnect: (route: string) => answers.delete(route),
  }
}
