import { expect, test } from 'vitest'
import { newestOnly } from './newestOnly.ts'

test('an answer that comes after a newer question is discarded', async () => {
  const waiting: ((text: string) => void)[] = []
  const ask = newestOnly(() => new Promise<string>((resolve) => waiting.push(resolve)))
  const first = ask()
  const second = ask()
  waiting[1]?.('new')
  waiting[0]?.('old')
  expect(await Promise.all([first, second])).toEqual([undefined, 'new'])
})
