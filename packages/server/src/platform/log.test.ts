import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

/** A log, and what was written to it. */
function logged() {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk))
      done()
    },
  })
  return { log: createLog('trace', stream), text: () => lines.join('') }
}

test('passwords, tokens and cookies do not reach the log', () => {
  const { log, text } = logged()
  const headers = { authorization: 'Bearer hidden-1', cookie: 'leitstand_session=hidden-2', accept: 'shown' }
  log.info({ headers, password: 'hidden-3', token: 'hidden-4' }, 'signed in')
  log.info({ user: { password: 'hidden-5', token: 'hidden-6', name: 'shown too' } }, 'signed in')
  expect(text()).toContain('shown too')
  expect(text()).not.toContain('hidden')
})

test('errors reach the log with their cause, but without the connection they happened on', () => {
  const { log, text } = logged()
  const error = new Error('the connection broke', { cause: new Error('the network is down') })
  log.warn({ err: Object.assign(error, { code: '57P01', client: { secretKey: 'hidden' } }) }, 'it broke')
  expect(JSON.parse(text())).toMatchObject({
    err: { code: '57P01', message: 'the connection broke: the network is down' },
  })
  expect(text()).not.toContain('hidden')
})
