import { parentPort, workerData } from 'node:worker_threads'
import { readTable, TableError } from './table.ts'

const { bytes, rowsMax } = workerData as { bytes: Uint8Array; rowsMax: number }
try {
  parentPort?.postMessage({ table: await readTable(bytes, rowsMax) })
} catch (error) {
  if (!(error instanceof TableError)) throw error
  parentPort?.postMessage({ code: error.code, detail: error.message })
}
