import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { Refusals, withoutKeys } from './refusals.ts'

const refusal = {
  requestId: 'r-1',
  status: 403,
  code: 'NO_PERMISSION',
  method: 'GET',
  path: '/api/user',
  ip: '::1',
}

function written() {
  const lines: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).trimEnd().split('\n'))
      done()
    },
  })
  return { refusals: new Refusals(createLog('info', stream)), lines }
}

test('what was refused is logged with who, what and why; what merely did not fit is not', () => {
  const { refusals, lines } = written()
  refusals.note({ ...refusal, caller: 'eve\n{"level":30}', userId: 7 }, 0)
  refusals.note({ ...refusal, status: 409, code: 'VERSION_CONFLICT' }, 0)
  // A line stays one line, whatever the name contains.
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    ...refusal,
    caller: 'eve\n{"level":30}',
    msg: 'refused',
  })
})

test('a flood is counted and not written', () => {
  const { refusals, lines } = written()
  for (let n = 0; n < 1000; n++) refusals.note(refusal, 0)
  expect(lines).toHaveLength(200)
  refusals.note(refusal, 1000)
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ notLogged: 800 })
  // Counted once.
  refusals.note(refusal, 1000)
  expect(JSON.parse(lines.at(-1) ?? '')).not.toHaveProperty('notLogged')
})

test('the keys of public links are left out of a path, and nothing else', () => {
  expect(withoutKeys('/api/shared/lss_aB-3_x/twins/lss_9?of=lss')).toBe(
    '/api/shared/lss_…/twins/lss_…?of=lss',
  )
})
