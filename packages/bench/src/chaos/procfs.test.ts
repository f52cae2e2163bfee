import { expect, test } from 'vitest'
import { descendantsOf, parseProcess } from './procfs.ts'

test('a process is read from what the system says, whatever its name', () => {
  const stat = `42 (a) R (b) S 7 42 42 0 -1 4194304 ${Array.from({ length: 12 }, (_, at) => at).join(' ')} 98765 1 2`
  expect(parseProcess(42, stat, 'node\0main.ts\0')).toEqual({
    pid: 42,
    parent: 7,
    state: 'S',
    startedAt: 98765,
    command: 'node main.ts',
  })
})

test('descendants are found at any depth', () => {
  const process = (pid: number, parent: number) => ({ pid, parent, state: 'S', startedAt: 0, command: '' })
  const all = [process(1, 0), process(2, 1), process(3, 2), process(4, 3), process(5, 1)]
  const pids = descendantsOf(2, all).map(({ pid }) => pid)
  expect(pids.toSorted()).toEqual([3, 4])
})
