import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { reread } from './reread.ts'

/** A query whose answers are given one by one. */
function watched() {
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const asked: PromiseWithResolvers<string>[] = []
  const observer = new QueryObserver<string>(cache, {
    queryKey: ['alarms', 1],
    queryFn: () => {
      const answer = Promise.withResolvers<string>()
      asked.push(answer)
      return answer.promise
    },
  })
  const stop = observer.subscribe(() => undefined)
  return { cache, asked, stop, data: () => observer.getCurrentResult().data }
}

it('reads again after the first answer, if the change was announced before it came', async () => {
  const { cache, asked, stop, data } = watched()
  const done = reread(cache, ['alarms'])
  expect(asked).toHaveLength(1)
  asked[0]?.resolve('before the change')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('after it')
  await done
  expect(data()).toBe('after it')
  stop()
})

it('reads again after a first answer that failed', async () => {
  const { cache, asked, stop, data } = watched()
  const done = reread(cache, ['alarms'])
  asked[0]?.reject(new Error('no answer'))
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('after it')
  await done
  expect(data()).toBe('after it')
  stop()
})

it('reads once when there is an answer already', async () => {
  const { cache, asked, stop, data } = watched()
  asked[0]?.resolve('before')
  await expect.poll(data).toBe('before')
  const done = reread(cache, ['alarms'])
  asked[1]?.resolve('after')
  await done
  expect([asked.length, data()]).toEqual([2, 'after'])
  stop()
})
