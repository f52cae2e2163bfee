import { Worker } from 'node:worker_threads'
import { Mutex } from '../../../platform/mutex.ts'
import type { Page } from '../page.ts'

const timeoutMs = 30_000
const memoryMb = 256
const turns = new Mutex()

/**
 * A report as PDF, with its fonts. One at a time in a thread of its own, so that nothing else waits.
 * @throws when it takes longer than 30 s or needs too much memory
 */
export function pdfOf(page: Page, createdAt: Date): Promise<Buffer> {
  return turns.run(() => draw(page, createdAt))
}

function draw(page: Page, createdAt: Date): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    name: 'report',
    workerData: { page, createdAt: createdAt.getTime() },
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  const timer = setTimeout(() => {
    reject(new Error(`A report was not drawn within ${timeoutMs} ms`))
    void worker.terminate()
  }, timeoutMs)
  worker.on('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes)))
  worker.on('error', reject)
  worker.on('exit', (code) => {
    clearTimeout(timer)
    reject(new Error(`The thread that draws reports ended with code ${code}`))
  })
  return promise
}
