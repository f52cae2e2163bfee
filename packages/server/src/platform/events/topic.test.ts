import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checkPayload, defineTopic, readEvent, type StoredEvent, UnreadableEvent } from './topic.ts'

const doorOpened = defineTopic({
  name: 'door.opened',
  version: 3,
  schema: z.object({ doorId: z.number(), by: z.string() }),
  upgrades: {
    1: (payload) => ({ doorId: z.object({ door: z.number() }).parse(payload).door }),
    2: (payload) => ({ ...z.object({ doorId: z.number() }).parse(payload), by: 'unknown' }),
  },
})

const stored = (version: number, payload: unknown): StoredEvent => ({
  id: 1,
  topic: 'door.opened',
  version,
  accountId: 7,
  payload,
  at: new Date(0),
})

describe('an event', () => {
  it.each([
    [1, { door: 5 }, { doorId: 5, by: 'unknown' }],
    [2, { doorId: 5 }, { doorId: 5, by: 'unknown' }],
    [3, { doorId: 5, by: 'Ada' }, { doorId: 5, by: 'Ada' }],
  ])('of version %i is read as the newest version', (version, payload, expected) => {
    const event = readEvent(doorOpened, stored(version, payload))
    expect(event).toEqual({ id: 1, topic: 'door.opened', accountId: 7, payload: expected, at: new Date(0) })
  })

  it.each([
    ['of a newer version', 4, { doorId: 5, by: 'Ada' }, 'version 4 is newer than 3'],
    ['that does not fit', 3, { doorId: '5', by: 'Ada' }, 'doorId'],
    ['whose old payload does not fit', 1, { window: 5 }, 'version 1 cannot be upgraded'],
  ])('%s is unreadable', (_, version, payload, reason) => {
    const read = () => readEvent(doorOpened, stored(version, payload))
    expect(read).toThrow(UnreadableEvent)
    expect(read).toThrow(reason)
  })

  it('is checked before it is written', () => {
    expect(() => checkPayload(doorOpened.event(7, { doorId: 5, by: 'Ada' }))).not.toThrow()
    const wrong = { doorId: 5 } as { doorId: number; by: string }
    expect(() => checkPayload(doorOpened.event(7, wrong))).toThrow('door.opened: by')
  })
})

describe('a topic', () => {
  it('needs an upgrade for every older version', () => {
    const schema = z.object({})
    expect(() => defineTopic({ name: 'a.b', version: 3, schema, upgrades: { 1: Object } })).toThrow(
      'a.b: version 2 has no upgrade',
    )
  })
})
