import { expect, test, vi } from 'vitest'
import { loadCode } from './onDemand.ts'

const offline = new TypeError('Failed to fetch dynamically imported module')

test('code that cannot be fetched is waited for', async () => {
  const load = vi.fn<() => Promise<string>>()
  load.mockRejectedValueOnce(offline).mockRejectedValueOnce(offline).mockResolvedValue('code')
  const wait = vi.fn(() => Promise.resolve())
  expect(await loadCode(load, { reachable: () => Promise.resolve(false), wait })).toBe('code')
  expect(wait).toHaveBeenCalledTimes(2)
})

test('if the server answers, but not with this code, that is an error', async () => {
  const wait = vi.fn(() => Promise.resolve())
  const load = () => Promise.reject(offline)
  await expect(loadCode(load, { reachable: () => Promise.resolve(true), wait })).rejects.toBe(offline)
  expect(wait).not.toHaveBeenCalled()
})
