import { Worker } from 'node:worker_threads'
import { AppError } from '../../../platform/errors.ts'
import { Slots } from '../../../platform/slots.ts'
import type { Table, TableFault } from './table.ts'

const readingLimits = {
  /** of the thread that reads a file; what it fills with one more is no list of devices */
  heapMegabytesMax: 512,
  timeoutMs: 60_000,
} as const

const slots = new Slots({ runningMax: 1, waitingMax: 20 })

type Answer = { table: Table } | { code: TableFault; detail: string }

/**
 * Reads a file in a thread of its own, one at a time: a large or hostile one holds up nobody and takes nothing with it.
 * @throws AppError BULK_FILE_UNREADABLE, BULK_FILE_EMPTY, BACKGROUND_JOB_TOO_LARGE, OVERLOADED
 */
export async function readFile(bytes: Uint8Array, rowsMax: number): Promise<Table> {
  const answer = await slots.run(() => askThread(bytes, rowsMax))
  if ('table' in answer) return answer.table
  throw new AppError(answer.code, { detail: answer.detail, devicesMax: rowsMax })
}

function askThread(bytes: Uint8Array, rowsMax: number): Promise<Answer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { bytes, rowsMax },
    resourceLimits: { maxOldGenerationSizeMb: readingLimits.heapMegabytesMax },
  })
  const unreadable = (detail: string): Answer => ({ code: 'BULK_FILE_UNREADABLE', detail })
  return new Promise<Answer>((resolve) => {
    const timer = setTimeout(() => resolve(unreadable('it takes too long')), readingLimits.timeoutMs)
    worker.once('message', (answer: Answer) => resolve(answer))
    worker.once('error', (error: Error) => resolve(unreadable(error.message)))
    worker.once('exit', () => {
      clearTimeout(timer)
      resolve(unreadable('it ended early'))
    })
  }).finally(() => worker.terminate())
}
