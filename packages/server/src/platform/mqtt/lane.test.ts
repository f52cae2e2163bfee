import { expect, test } from 'vitest'
import { Lane } from './lane.ts'

test('prepared side by side, begun and answered in order, also when one fails', async () => {
  const lane = new Lane()
  const log: string[] = []
  const slow = Promise.withResolvers<void>()
  const store = Promise.withResolvers<void>()
  const work = (name: string, ready: Promise<void>, stored: Promise<void>) =>
    lane
      .run(
        async () => {
          log.push(`prepare ${name}`)
          await ready
        },
        async () => {
          log.push(`begin ${name}`)
          await stored
        },
      )
      .then(
        () => log.push(`answer ${name}`),
        () => log.push(`fail ${name}`),
      )
  const all = [
    work('a', slow.promise, store.promise),
    work('b', Promise.reject(new Error('template')), Promise.resolve()),
    work('c', Promise.resolve(), Promise.resolve()),
  ]
  await Promise.resolve()
  expect(log).toEqual(['prepare a', 'prepare b', 'prepare c'])
  slow.resolve()
  store.resolve()
  await Promise.all(all)
  expect(log.slice(3)).toEqual(['begin a', 'begin c', 'answer a', 'fail b', 'answer c'])
})

test('messages that wait for room are not overtaken, and none waits without need', async () => {
  const lane = new Lane()
  const begun: string[] = []
  const room = Promise.withResolvers<void>()
  let hasRoom = true
  const send = (name: string) =>
    lane.run(
      () => name,
      async (prepared) => {
        begun.push(prepared)
        return prepared
      },
      () => (hasRoom ? undefined : room.promise),
    )
  const first = send('a')
  expect(begun).toEqual(['a'])
  hasRoom = false
  const waiting = [send('b'), send('c')]
  hasRoom = true
  const last = send('d')
  expect(begun).toEqual(['a'])
  room.resolve()
  expect(await Promise.all([first, ...waiting, last])).toEqual(['a', 'b', 'c', 'd'])
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
})
