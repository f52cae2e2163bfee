/** The thread that draws one report as PDF. */
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import PDFDocument from 'pdfkit'
import type { Page, Table } from '../page.ts'

const font = (name: string) => fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))
const margin = 40
/** points between cells, and above and below their text */
const gap = 8
const pad = 3
const sizes = { title: 16, heading: 12, text: 9, small: 8 }
const ink = { text: '#1a1a1a', dim: '#555555', line: '#bbbbbb' }

const { page, createdAt } = workerData as { page: Page; createdAt: number }
const doc = new PDFDocument({
  size: 'A4',
  margin,
  bufferPages: true,
  lang: page.language,
  displayTitle: true,
  info: {
    Title: page.title,
    Creator: page.product,
    Producer: page.product,
    CreationDate: new Date(createdAt),
  },
})
doc.registerFont('plain', font('DejaVuSans'))
doc.registerFont('bold', font('DejaVuSans-Bold'))
const width = doc.page.width - 2 * margin
const bottom = () => doc.page.height - margin - 2 * sizes.small
const parts: Buffer[] = []
doc.on('data', (part: Buffer) => parts.push(part))
doc.on('end', () => {
  const bytes = new Uint8Array(Buffer.concat(parts))
  parentPort?.postMessage(bytes, [bytes.buffer])
})

doc.font('bold').fontSize(sizes.title).fillColor(ink.text).text(page.title, { width })
doc.moveDown(0.3).font('plain').fontSize(sizes.text).fillColor(ink.dim)
for (const line of page.lines) doc.text(line, { width })
for (const table of page.tables) draw(table)
doc.moveDown(1.5).font('plain').fontSize(sizes.text).fillColor(ink.dim)
doc
  .text(`${page.link.text}: `, margin, doc.y, { width, continued: true })
  .text(page.link.url, { link: page.link.url })
number()
doc.end()

function draw({ title, columns, rows, note }: Table): void {
  doc.moveDown(1.2)
  breakBefore(4 * sizes.heading)
  doc.font('bold').fontSize(sizes.heading).fillColor(ink.text).text(title, margin, doc.y, { width })
  doc.moveDown(0.3)
  const total = columns.reduce((sum, column) => sum + column.width, 0)
  const widths = columns.map((column) => (column.width / total) * width)
  const isNamed = columns.some((column) => column.title !== '')
  const line = (cells: readonly string[], style: 'plain' | 'bold') => {
    doc.font(style).fontSize(sizes.text).fillColor(ink.text)
    // Two lines at most; the rest of a long text is left out.
    const heightMax = 2 * doc.currentLineHeight(true) + 0.5
    const heights = cells.map((cell, index) =>
      Math.min(heightMax, doc.heightOfString(cell || ' ', { width: (widths[index] as number) - gap })),
    )
    const height = Math.max(...heights)
    if (breakBefore(height + 2 * pad) && style === 'plain' && isNamed) {
      head()
      doc.font(style).fontSize(sizes.text).fillColor(ink.text)
    }
    const y = doc.y + pad
    let x = margin
    for (const [index, cell] of cells.entries()) {
      const align = columns[index]?.right ? 'right' : 'left'
      const cellWidth = (widths[index] as number) - gap
      doc.text(cell, x, y, { width: cellWidth, height: heightMax, ellipsis: true, align })
      x += widths[index] as number
    }
    doc.y = y + height + pad
    doc
      .moveTo(margin, doc.y)
      .lineTo(margin + width, doc.y)
      .lineWidth(0.5)
      .strokeColor(ink.line)
      .stroke()
  }
  const head = () =>
    line(
      columns.map((column) => column.title),
      'bold',
    )
  if (isNamed && rows.length > 0) head()
  for (const row of rows) line(row, 'plain')
  if (note !== null) {
    breakBefore(2 * sizes.text)
    doc
      .font('plain')
      .fontSize(sizes.text)
      .fillColor(ink.dim)
      .text(note, margin, doc.y + pad, { width })
  }
  doc.x = margin
}

/** Begins a page unless this height fits. @returns whether it did */
function breakBefore(height: number): boolean {
  if (doc.y + height <= bottom()) return false
  doc.addPage()
  return true
}

function number(): void {
  const { start, count } = doc.bufferedPageRange()
  for (let index = start; index < start + count; index++) {
    doc.switchToPage(index)
    const text = page.pageOf.replace('{page}', String(index + 1)).replace('{pages}', String(count))
    // Below the margin a text would begin another page.
    doc.page.margins.bottom = 0
    doc.font('plain').fontSize(sizes.small).fillColor(ink.dim)
    const y = doc.page.height - margin - sizes.small
    doc.text(page.footer, margin, y, { width: width / 2, lineBreak: false })
    doc.text(text, margin + width / 2, y, { width: width / 2, align: 'right', lineBreak: false })
  }
}
