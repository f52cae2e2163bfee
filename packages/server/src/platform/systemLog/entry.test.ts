import { expect, test } from 'vitest'
import { entryOf } from './entry.ts'

const line = (content: object) => JSON.stringify({ level: 50, time: 1_700_000_000_000, ...content })
const stack = [
  'Error: it broke with secret values',
  '    at read (file:///srv/leitstand/packages/server/src/features/connectors/store.ts:3:1)',
  '    at file:///srv/leitstand/packages/server/src/platform/loop.ts:9:2',
].join('\n')

test('an entry says what failed, where, in which request and about what, and holds no values', () => {
  const err = { message: 'it broke', stack, code: '57P01', detail: 'hidden', query: 'hidden' }
  const entry = entryOf(
    line({
      msg: 'operation failed',
      err,
      requestId: 'r-1',
      connectorId: 3,
      payload: { a: 'hidden' },
      mailId: 1.5,
    }),
    '',
  )
  expect(entry).toEqual({
    at: new Date(1_700_000_000_000),
    level: 'error',
    area: 'connectors',
    message: 'operation failed: it broke',
    code: '57P01',
    stack: [
      'at read (packages/server/src/features/connectors/store.ts:3:1)',
      'at packages/server/src/platform/loop.ts:9:2',
    ].join('\n'),
    requestId: 'r-1',
    about: { connectorId: 3 },
  })
})

test('who wrote it is looked for where no error says so', () => {
  const caller = [
    'Error: caller',
    '    at write (file:///x/packages/server/src/platform/systemLog/index.ts:1:1)',
    '    at log (file:///x/node_modules/pino/pino.js:1:1)',
    '    at hold (file:///x/packages/server/src/platform/nodes/leases.ts:1:1)',
  ].join('\n')
  expect(entryOf(line({ level: 40, msg: 'late' }), caller)).toMatchObject({ level: 'warning', area: 'nodes' })
  expect(entryOf(line({ msg: 'late' }), '')).toMatchObject({ area: 'platform', stack: null })
  expect(entryOf(line({ level: 30, msg: 'fine' }), caller)).toBeNull()
})

test('whatever is in a message can be stored and shown', () => {
  const hostile = `\u001b[31mred\u001b[0m \u0000 a\r\nb \u202egnp ${String.fromCharCode(0xd800)} amqp://user:word@host/x`
  const { message = '', code } = entryOf(line({ msg: hostile, err: { code: { a: 1 } } }), '') ?? {}
  expect(message).toBe('red \ufffd a b gnp \ufffd amqp://…@host/x')
  expect(code).toBeNull()
  const long = entryOf(line({ msg: 'x'.repeat(10_000_000) }), '')
  expect(long?.level).toBe('error')
  expect(long?.message.length).toBeLessThanOrEqual(1000)
  expect(entryOf(line({ msg: 'y'.repeat(5000) }), '')?.message).toHaveLength(1000)
})
