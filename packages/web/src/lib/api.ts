import routes from 'virtual:contract'
import type { contract } from '@leitstand/contract'
import { createORPCClient, ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import type { JsonifiedClient } from '@orpc/openapi-client'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import { createTanstackQueryUtils } from '@orpc/tanstack-query'
import { QueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { takeAsked } from './asked.ts'
import { currentLanguage } from './i18n.ts'
import { patienceFor } from './patience.ts'
import { createStore } from './store.ts'
import { visitorStore } from './visitor.ts'

const tokenKey = 'leitstand.token'

/** The session's token. Other tabs of the same browser sync it through storage. */
export const tokenStore = createStore<string | null>(readToken())

function readToken(): string | null {
  try {
    return localStorage.getItem(tokenKey)
  } catch {
    return null
  }
}

/** Adopts the token that another tab has stored. */
export function followStoredToken(): void {
  const stored = readToken()
  if (stored !== null && stored !== tokenStore.get()) tokenStore.set(stored)
}

/** Stores the token; null removes it. */
export function setToken(token: string | null): void {
  tokenStore.set(token)
  try {
    if (token === null) localStorage.removeItem(tokenKey)
    else localStorage.setItem(tokenKey, token)
  } catch {
    // Storage is unavailable: the session lasts as long as the page; the cookie survives a reload.
  }
}

let onUnauthorised: () => void = () => undefined

/**
 * Sets the handler for a session that the server no longer accepts.
 * @returns puts the former one back
 */
export function whenUnauthorised(handler: () => void): () => void {
  const former = onUnauthorised
  onUnauthorised = handler
  return () => {
    onUnauthorised = former
  }
}

/** An API error's data besides code and message. */
export interface ErrorDetails {
  requestId: string | null
  details: Record<string, unknown>
}

function decodeError(body: unknown, response: { status: number }): ORPCError<string, ErrorDetails> | null {
  if (typeof body !== 'object' || body === null || !('code' in body) || typeof body.code !== 'string')
    return null
  const reply = body as { code: string; message?: unknown; data?: unknown; requestId?: unknown }
  const error = new ORPCError<string, ErrorDetails>(reply.code, {
    status: response.status,
    message: typeof reply.message === 'string' ? reply.message : reply.code,
    data: {
      requestId: typeof reply.requestId === 'string' ? reply.requestId : null,
      details:
        typeof reply.data === 'object' && reply.data !== null ? (reply.data as Record<string, unknown>) : {},
    },
  })
  if (reply.code === 'AUTH_TOKEN_NOT_FOUND') onUnauthorised()
  return error
}

const link = new OpenAPILink(routes, {
  url: `${location.origin}/api`,
  headers: (): Record<string, string> => {
    const token = tokenStore.get()
    const language = { 'accept-language': currentLanguage() }
    const access = visitorStore.get()?.access
    return {
      ...language,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(access ? { 'x-share-access': access } : {}),
    }
  },
  fetch: (request, init, _options, path) =>
    takeAsked(window.leitstandAsked, request, performance.now()) ??
    fetch(request, {
      ...init,
      cache: 'no-store',
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(patienceFor(routes, path))]),
    }),
  customErrorResponseBodyDecoder: (body, response) => decodeError(body, response),
})

/** The API as typed functions: `client.virtualdevice.list({ limit: 20 })`. Errors are `ORPCError` with our codes. */
export const client: JsonifiedClient<ContractRouterClient<typeof contract>> = createORPCClient(link)

/** The same as TanStack Query options: `useQuery(api.virtualdevice.list.queryOptions({ input }))`. */
export const api = createTanstackQueryUtils(client)

/** The page's cache. Replies stay fresh for 10 s; client errors are not retried, network errors twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      retry: (count, error) => count < 2 && !(error instanceof ORPCError && error.status < 500),
    },
    mutations: { retry: false },
  },
})

// Names of built-in things, such as the states of delivered drivers, come in the language of the request.
i18next.on('languageChanged', () => void queryClient.invalidateQueries())
