import { contract } from '@leitstand/contract'
import { expect, test } from 'vitest'
import { patienceFor } from './patience.ts'

test('the console waits as long as the operation says, else ten seconds', () => {
  expect(patienceFor(contract, ['activityLog', 'exportFile'])).toBe(210_000)
  expect(patienceFor(contract, ['virtualdevice', 'list'])).toBe(25_000)
  expect(patienceFor(contract, ['virtualdevice', 'get'])).toBe(10_000)
})
