import { ORPCError } from '@orpc/client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openBrowser, refusal } from '../../test/browser.ts'

const browser = openBrowser()
const { client, followStoredToken, queryClient, setToken, tokenStore, whenUnauthorised } = await import(
  './api.ts'
)

const caught = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a call', () => {
  test('carries the token of the session', async () => {
    setToken('secret')
    browser.answer('GET /devicedrivers/7', {})
    await client.devicedrivers.get({ id: 7 })
    expect(browser.calls[0]).toMatchObject({ route: 'GET /devicedrivers/7', token: 'secret' })
  })

  test('of a guest carries none', async () => {
    setToken(null)
    browser.answer('GET /devicedrivers/7', {})
    await client.devicedrivers.get({ id: 7 })
    expect(browser.calls[0]?.token).toBeNull()
  })
})

describe('an error of the server', () => {
  test('keeps code, status, details and the id of the request', async () => {
    browser.answer('GET /devicedrivers/7', () => refusal(409, 'DRIVER_IN_USE', { devices: 3 }))
    expect(await caught(client.devicedrivers.get({ id: 7 }))).toMatchObject({
      code: 'DRIVER_IN_USE',
      status: 409,
      data: { requestId: 'r-1', details: { devices: 3 } },
    })
  })

  test.each([
    [{ code: 'X' }, { code: 'X', message: 'X', data: { requestId: null, details: {} } }],
    [
      { code: 'X', message: 7, data: 'text', requestId: 7 },
      { code: 'X', message: 'X', data: { details: {} } },
    ],
    [{ code: 'X', message: 'für Entwickler', data: null }, { message: 'für Entwickler' }],
  ])('%j is read as far as it is one', async (body, error) => {
    browser.answer('GET /devicedrivers/7', () => Response.json(body, { status: 400 }))
    expect(await caught(client.devicedrivers.get({ id: 7 }))).toMatchObject(error)
  })

  test.each([
    ['a page of a gateway', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 502],
    ['a list', () => Response.json([1], { status: 500 }), 500],
    ['a code that is no text', () => Response.json({ code: 7 }, { status: 500 }), 500],
  ])('%s is an error with the status', async (_name, answer, status) => {
    browser.answer('GET /devicedrivers/7', answer)
    expect(await caught(client.devicedrivers.get({ id: 7 }))).toMatchObject({ status })
  })

  test.each([
    ['AUTH_TOKEN_NOT_FOUND', 401, 1],
    ['LOGIN_FAILED', 401, 0],
    ['FORBIDDEN', 403, 0],
  ])('%s of status %d ends the session %d times', async (code, status, times) => {
    const ended = vi.fn()
    // Files share their modules: the session's handler is needed by its own tests.
    onTestFinished(whenUnauthorised(ended))
    browser.answer('GET /devicedrivers/7', () => refusal(status, code))
    await caught(client.devicedrivers.get({ id: 7 }))
    expect(ended).toHaveBeenCalledTimes(times)
  })
})

describe('the token', () => {
  test('is kept for the next page', () => {
    setToken('kept')
    expect(browser.local.getItem('leitstand.token')).toBe('kept')
    setToken(null)
    expect(browser.local.getItem('leitstand.token')).toBeNull()
  })

  test('lasts for the page where nothing can be stored', () => {
    browser.local.isBlocked = true
    setToken('of this page')
    expect(tokenStore.get()).toBe('of this page')
    followStoredToken()
    expect(tokenStore.get()).toBe('of this page')
  })

  test('of another tab is taken over, its absence is not', () => {
    setToken('own')
    browser.local.setItem('leitstand.token', 'of the other tab')
    followStoredToken()
    expect(tokenStore.get()).toBe('of the other tab')
    browser.local.clear()
    followStoredToken()
    expect(tokenStore.get()).toBe('of the other tab')
  })
})

describe('a read that failed', () => {
  const { retry } = queryClient.getDefaultOptions().queries ?? {}
  const again = (count: number, error: Error) => typeof retry === 'function' && retry(count, error)

  test.each([
    ['a network error', new TypeError('fetch failed'), 0, true],
    ['a network error, the second time', new TypeError('fetch failed'), 1, true],
    ['a network error, the third time', new TypeError('fetch failed'), 2, false],
    ['an error of the server', new ORPCError('INTERNAL', { status: 500 }), 0, true],
    ['a missing object', new ORPCError('NOT_FOUND', { status: 404 }), 0, false],
    ['an input that is wrong', new ORPCError('INVALID', { status: 400 }), 0, false],
    ['too many calls', new ORPCError('BUSY', { status: 429 }), 0, false],
  ])('by %s is tried again: %4$s', (_name, error, count, expected) => {
    expect(again(count, error)).toBe(expected)
  })

  test('a change is never sent twice by itself', () => {
    expect(queryClient.getDefaultOptions().mutations?.retry).toBe(false)
  })
})
