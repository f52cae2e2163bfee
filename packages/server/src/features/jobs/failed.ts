import { byteOrderMark, csvLine, separatorOf } from '../../platform/csv.ts'
import type { Executor } from '../../platform/db/index.ts'
import { type JobRowRecord, readFailedRows } from './rows.store.ts'
import type { JobRecord } from './store.ts'

type Language = 'de' | 'en'

const pageSize = 1000

const faultTitle: Record<Language, string> = { de: 'Fehler', en: 'Error' }
const aboutTitles: Record<Language, readonly string[]> = { de: ['Id', 'Titel'], en: ['Id', 'Title'] }

/**
 * Failed rows of a job as the lines of a CSV file: the imported cells, so that they can be corrected and
 * uploaded again, with the reasons in a last column.
 * @param header titles of the imported file; null: the job imported no file
 */
export async function* failedLines(
  db: Executor,
  job: JobRecord,
  header: readonly string[] | null,
  language: Language,
): AsyncGenerator<string> {
  const separator = separatorOf(language)
  const titles = header ?? aboutTitles[language]
  const mended = titles.filter((title) => !Object.values(faultTitle).includes(title))
  const kept = titles.map((title) => mended.includes(title))
  yield byteOrderMark + csvLine([...mended, faultTitle[language]], separator)
  for (let after = 0; ; ) {
    const rows = await readFailedRows(db, job.id, after, pageSize)
    for (const row of rows) {
      const cells =
        header === null ? [row.objectId, row.title] : (row.cells ?? []).filter((_, at) => kept[at])
      yield csvLine([...cells, faultsOf(row)], separator)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = last.row
  }
}

/** `Latitude: NO_NUMBER | DEVICE_ALREADY_EXISTS`: codes, because programs read the file too. */
function faultsOf({ faults }: JobRowRecord): string {
  return faults.map(({ code, column }) => (column === null ? code : `${column}: ${code}`)).join(' | ')
}
