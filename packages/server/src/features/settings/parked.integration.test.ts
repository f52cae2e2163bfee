import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { startApp, type TestApp } from '../../../test/kit.ts'
import { defineTopic } from '../../platform/events/topic.ts'

const bellRang = defineTopic({ name: 'bell.rang', version: 1, schema: z.object({ bell: z.string() }) })
const heard: string[] = []
let isBroken = true
let app: TestApp

beforeAll(async () => {
  app = await startApp({
    prepare: ({ events }) =>
      events.consume({
        name: 'porter',
        topics: [bellRang],
        partition: ({ payload }) => payload.bell,
        handle: async (rings) => {
          if (isBroken) throw new Error('asleep')
          heard.push(...rings.map(({ payload }) => payload.bell))
        },
      }),
  })
})

it('shows parked events with their reason, tries them again and discards them', async () => {
  const { ctx, api } = app
  await ctx.db.transaction().execute((tx) =>
    ctx.events.appendAll(
      tx,
      ['door', 'gate'].map((bell) => bellRang.event(app.rootAccountId, { bell })),
    ),
  )
  await app.drain()
  const { items, total } = await api.system.parkedEvents({ search: 'asleep' })
  expect(total).toBe(2)
  const door = items.find(({ payload }) => payload.includes('door'))
  expect(door).toMatchObject({
    consumer: 'porter',
    topic: 'bell.rang',
    accountId: app.rootAccountId,
    reason: 'asleep',
    attempts: 3,
    waits: false,
  })
  expect((await api.system.parkedEvents({ search: '100%' })).total).toBe(0)

  isBroken = false
  expect(await api.system.retryParkedEvents({ ids: [door?.id as number, 999_999] })).toEqual({ count: 1 })
  await app.drain()
  expect(heard).toEqual(['door'])
  const [left] = (await api.system.parkedEvents({})).items
  expect(await api.system.discardParkedEvents({ ids: [left?.id as number] })).toEqual({ count: 1 })
  await app.drain()
  expect((await api.system.parkedEvents({})).total).toBe(0)
  expect(heard).toEqual(['door'])
  const log = await api.activityLog.list({ subject: 'ParkedEvent' })
  expect(log.items.map(({ action, objectTitle }) => [action, objectTitle])).toEqual([
    ['discardEvents', 'porter: bell.rang'],
    ['retryEvents', 'porter: bell.rang'],
  ])
})
