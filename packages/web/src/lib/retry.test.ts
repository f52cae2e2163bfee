import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { retryMissing } from './retry.ts'

/** A query on the screen that answers with what `next` returns. */
function shown(cache: QueryClient, key: string, next: () => Promise<string>) {
  const observer = new QueryObserver(cache, { queryKey: [key], queryFn: next, retry: false })
  return { observer, hide: observer.subscribe(() => undefined) }
}

test('a request that hangs is replaced, data that is there is kept', async () => {
  const cache = new QueryClient()
  const there = vi.fn(() => Promise.resolve('there'))
  const answers = [new Promise<string>(() => undefined), Promise.resolve('late')]
  const hanging = shown(cache, 'hanging', () => answers.shift() as Promise<string>)
  const kept = shown(cache, 'kept', there)
  await expect.poll(() => kept.observer.getCurrentResult().data).toBe('there')
  await retryMissing(cache, () => expect.unreachable())
  expect(hanging.observer.getCurrentResult().data).toBe('late')
  expect(there).toHaveBeenCalledTimes(1)
  hanging.hide()
  kept.hide()
})

test('if only code is missing, the page is loaded again', async () => {
  const reload = vi.fn()
  await retryMissing(new QueryClient(), reload)
  expect(reload).toHaveBeenCalledOnce()
})
