import type { Column, Page, Table } from './page.ts'

const styles = {
  page: 'margin:0;padding:24px 12px;font:15px/1.5 -apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif',
  column: 'max-width:800px;margin:0 auto',
  title: 'margin:0 0 8px;font-size:22px;line-height:1.3',
  line: 'margin:0 0 4px',
  heading: 'margin:28px 0 8px;font-size:17px;line-height:1.3',
  table: 'width:100%;border-collapse:collapse;font-size:14px',
  head: 'padding:6px 8px 6px 0;border-bottom:2px solid #888;text-align:left;vertical-align:bottom',
  cell: 'padding:6px 8px 6px 0;border-bottom:1px solid #8886;text-align:left;vertical-align:top;overflow-wrap:anywhere',
  note: 'margin:8px 0 0',
  footer: 'margin:28px 0 0;font-size:13px;white-space:pre-line',
} as const

/** Pure. A report as a document of its own. */
export function htmlOf({ language, title, lines, tables, link, footer }: Page): string {
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<title>${escaped(title)}</title></head>`,
    `<body style='${styles.page}'><div style="${styles.column}">`,
    `<h1 style="${styles.title}">${escaped(title)}</h1>`,
    ...lines.map((line) => `<p style="${styles.line}">${escaped(line)}</p>`),
    ...tables.map(tableHtml),
    `<p style="${styles.footer}"><a href="${escaped(link.url)}">${escaped(link.text)}</a></p>`,
    `<p style="${styles.footer}">${escaped(footer)}</p>`,
    '</div></body></html>',
  ].join('\n')
}

function tableHtml({ title, columns, rows, note }: Table): string {
  const heading = `<h2 style="${styles.heading}">${escaped(title)}</h2>`
  const text = note === null ? '' : `<p style="${styles.note}">${escaped(note)}</p>`
  if (rows.length === 0) return heading + text
  const right = ({ right }: Column) => (right ? ';text-align:right' : '')
  const head = columns.some((column) => column.title !== '')
    ? `<thead><tr>${columns
        .map((column) => `<th style="${styles.head}${right(column)}">${escaped(column.title)}</th>`)
        .join('')}</tr></thead>\n`
    : ''
  const body = rows.map(
    (row) =>
      `<tr>${row
        .map(
          (cell, index) =>
            `<td style="${styles.cell}${right(columns[index] as Column)}">${escaped(cell)}</td>`,
        )
        .join('')}</tr>`,
  )
  return `${heading}\n<table style="${styles.table}">${head}<tbody>\n${body.join('\n')}\n</tbody></table>${text}`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
