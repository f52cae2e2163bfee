import { expect, test } from 'vitest'
import { streamOf } from '../csv.ts'
import { mayUseReplica, onPrimary, onReplica } from './reading.ts'

test('work may read on the replica until it is over, and what it left running no longer', async () => {
  expect(mayUseReplica()).toBe(false)
  const over = Promise.withResolvers<void>()
  let later: Promise<boolean> | undefined
  await onReplica(async () => {
    expect(mayUseReplica()).toBe(true)
    later = over.promise.then(() => mayUseReplica())
  })
  over.resolve()
  expect(await later).toBe(false)
  expect(mayUseReplica()).toBe(false)
})

test('a part of it reads on the primary', async () => {
  await onReplica(async () => {
    expect(await onPrimary(async () => mayUseReplica())).toBe(false)
    expect(mayUseReplica()).toBe(true)
  })
})

test('a file is read where the work that began it may read', async () => {
  async function* places() {
    for (let part = 0; part < 3; part++) yield `${mayUseReplica()} `
  }
  const streams = [await onReplica(async () => streamOf(places())), streamOf(places())]
  const texts = await Promise.all(streams.map((stream) => new Response(stream).text()))
  expect(texts).toEqual(['true true true ', 'false false false '])
})
