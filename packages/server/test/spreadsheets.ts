import ExcelJS from 'exceljs'
import { unzipSync } from 'fflate'

/** The only file of a ZIP archive. */
export function unzipped(archive: Uint8Array): { name: string; content: Uint8Array } {
  const files = Object.entries(unzipSync(archive))
  const [file] = files
  if (!file || files.length > 1) throw new Error(`the archive has ${files.length} files`)
  return { name: file[0], content: file[1] }
}

/** The cells of a spreadsheet as another program reads them, with its titles. */
export async function cellsOf(bytes: Uint8Array): Promise<unknown[][]> {
  const book = new ExcelJS.Workbook()
  await book.xlsx.load(bytes as never)
  const [sheet] = book.worksheets
  if (!sheet) throw new Error('the file has no sheet')
  return (sheet.getSheetValues().slice(1) as unknown[][]).map((row) => row.slice(1))
}
