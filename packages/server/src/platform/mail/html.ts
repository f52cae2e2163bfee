/** A picture in the text of a mail. */
export interface ShownPicture {
  /** its Content-ID, without brackets */
  cid: string
  title: string
}

const link = /https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]}]/g
const styles = {
  page: 'margin:0;padding:24px 12px;font:15px/1.5 -apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif',
  column: 'max-width:600px;margin:0 auto',
  paragraph: 'margin:0 0 16px',
  picture: 'display:block;width:100%;max-width:600px;height:auto;margin:0 0 16px;border-radius:8px',
} as const

/** Pure. A plain text as HTML for mail programs: paragraphs, lines and links as in the text, its pictures below. */
export function htmlOf(text: string, pictures: readonly ShownPicture[] = []): string {
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map(
      (paragraph) => `<p style="${styles.paragraph}">${paragraph.split('\n').map(lineOf).join('<br>\n')}</p>`,
    )
  const images = pictures.map(
    ({ cid, title }) =>
      `<img src="cid:${escaped(cid)}" alt="${escaped(title)}" width="600" style="${styles.picture}">`,
  )
  return [
    '<!doctype html>',
    '<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"></head>',
    `<body style='${styles.page}'><div style="${styles.column}">`,
    ...paragraphs,
    ...images,
    '</div></body></html>',
  ].join('\n')
}

function lineOf(line: string): string {
  let html = ''
  let from = 0
  for (const { 0: url, index } of line.matchAll(link)) {
    html += `${escaped(line.slice(from, index))}<a href="${escaped(url)}">${escaped(url)}</a>`
    from = index + url.length
  }
  return html + escaped(line.slice(from))
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
