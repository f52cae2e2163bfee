import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

test('passwords, tokens and cookies do not reach the log', () => {
  let text = ''
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk)
      done()
    },
  })
  const log = createLog('trace', stream)
  const headers = { authorization: 'Bearer hidden-1', cookie: 'leitstand_session=hidden-2', accept: 'shown' }
  log.info({ headers, password: 'hidden-3', token: 'hidden-4' }, 'signed in')
  log.info({ user: { password: 'hidden-5', token: 'hidden-6', name: 'shown too' } }, 'signed in')
  expect(text).toContain('shown too')
  expect(text).not.toContain('hidden')
})
