import { afterEach, expect, test } from 'vitest'
import * as z from 'zod'
import { heldBy, heldMsMax } from '../../../test/loopWatch.ts'
import { AppError } from '../errors.ts'
import { createLog } from '../log.ts'
import { Reader, type ReadTask, readerLimits } from './index.ts'
import type { Deed } from './testing/hostile.ts'

const task: ReadTask<Deed | null, string> = {
  name: 'test',
  module: new URL('./testing/hostile.ts', import.meta.url),
  part: z.string(),
  partsMax: 100,
  refusals: [],
}

let hits: [number, string][] = []
let reader: Reader | undefined
function open(limits: Partial<Record<keyof typeof readerLimits, number>> = {}): Reader {
  hits = []
  reader = new Reader({
    log: createLog('fatal'),
    limitHits: { note: (accountId, limit) => hits.push([accountId, limit]) },
    limits: { ...readerLimits, ...limits },
  })
  return reader
}
afterEach(() => reader?.[Symbol.asyncDispose]())

const ask = async (deed: Deed | null, { accountId = 1, bytes = 3, from = reader } = {}) => {
  try {
    return await from?.read(task, { bytes: new Uint8Array(bytes), accountId, input: deed })
  } catch (error) {
    return error instanceof AppError ? error.code : 'failed'
  }
}

test('a file is read in a process that reads the next one of the same account, and of no other', async () => {
  open()
  expect(await ask(null, { bytes: 10_000_000 })).toEqual(['10000000 bytes, file 1'])
  expect(await ask(null)).toEqual(['3 bytes, file 2'])
  expect(await ask(null, { accountId: 2 })).toEqual(['3 bytes, file 1'])
  expect(await ask(null)).toEqual(['3 bytes, file 1'])
})

test.each(['spin', 'native', 'heap', 'crash', 'exit', 'long', 'many', 'wrong'] as const)(
  'a file that makes its reader %s is refused, holds up nobody, and the next one is read',
  async (deed) => {
    // Never heavy: on a busy machine the next file would not be read in time.
    open({ timeMs: 5_000, heavyMs: 600_000, heapMegabytesMax: 128, dataKilobytesMax: 1_000_000 })
    const read = async () => {
      hits.length = 0
      expect(await ask(deed)).toBe('FILE_TOO_DEMANDING')
    }
    expect(await heldBy(read)).toBeLessThan(heldMsMax)
    expect(hits).toEqual([[1, 'files']])
    expect(await ask(null)).toEqual(['3 bytes, file 1'])
  },
)

test('what a library throws is a failure of ours, said to nobody', async () => {
  open()
  expect(await ask('throws')).toBe('failed')
  expect(hits).toEqual([])
})

test('the process has no environment, and may neither read files, nor write any, nor start programs', async () => {
  open()
  const [environment, ...others] = (await ask('snoop')) as string[]
  expect(Object.keys(JSON.parse(environment ?? '{}'))).not.toContain('PATH')
  expect(environment).not.toContain('LEITSTAND')
  for (const answer of others) expect(answer).toBe('ERR_ACCESS_DENIED')
})

test('accounts take turns: one that reads without end keeps no other from reading', async () => {
  // Long enough for a file of three bytes on a busy machine.
  open({ timeMs: 10_000, heavyMs: 600_000, waitingOfAccountMax: 1 })
  const endless = ask('spin')
  const waits = ask('spin')
  expect(await ask('spin')).toBe('OVERLOADED')
  expect(await ask(null, { accountId: 2 })).toEqual(['3 bytes, file 1'])
  expect([await endless, await waits]).toEqual(['FILE_TOO_DEMANDING', 'FILE_TOO_DEMANDING'])
  expect(hits).toEqual(Array(3).fill([1, 'files']))
})

test('once its files took much time, those of an account come last, and only those', async () => {
  open({ heavyMs: 1, heavyForgivenMs: 0.001 })
  const usual = await ask('niceness')
  expect(await ask('niceness', { accountId: 2 })).toEqual(usual)
  expect(await ask('niceness')).toEqual(['19'])
  expect(await ask('niceness', { accountId: 3 })).toEqual(usual)
})
