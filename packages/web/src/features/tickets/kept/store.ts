import type { TicketType } from '@leitstand/contract/tickets'

/** characters of its comment */
export const commentMax = 4_000

/** A report that waits on this device until it has been sent. */
export interface KeptReport {
  /** names the report: sent twice, it is one ticket */
  key: string
  /** whose it is; others who use this device neither see nor send it */
  userId: number
  twinId: number
  /** the place as it is shown */
  place: string
  type: TicketType
  subject: string
  comment: string
  again: boolean
  /** the alarm it is about; absent: none */
  alarmId?: number
  photo: Blob | null
  /** when it was written, ms */
  atMs: number
  /** it is a ticket already, only the photo is missing */
  ticketId: number | null
  /** why the server did not take it; null: it has not answered yet */
  refusal: { code: string; text: string; details: Record<string, unknown> } | null
}

const databaseName = 'leitstand-reports'
const storeName = 'reports'

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(databaseName, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'key' })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('the store of reports is blocked'))
  })
}

async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open()
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(storeName, mode)
      const request = work(transaction.objectStore(storeName))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    })
  } finally {
    database.close()
  }
}

/** Stores a report, or replaces it. Resolves when it is on the disk. @throws where the browser stores nothing */
export async function keepReport(report: KeptReport): Promise<void> {
  await run('readwrite', (store) => store.put(report))
}

/** Reports of a user on this device, oldest first. @throws where the browser stores nothing */
export async function keptReports(userId: number): Promise<KeptReport[]> {
  const all = await run<KeptReport[]>('readonly', (store) => store.getAll())
  return all.filter((report) => report.userId === userId).toSorted((a, b) => a.atMs - b.atMs)
}

export async function forgetReport(key: string): Promise<void> {
  await run('readwrite', (store) => store.delete(key))
}
