import { contrastGood } from '@leitstand/contract/brandColours'
import { channelsOf, contrast } from '@leitstand/contract/colours'
import type { MailTable } from './templates/kind.ts'
import type { Language } from './text.ts'

/** A picture in the text of a mail. */
export interface ShownPicture {
  /** its Content-ID, without brackets */
  cid: string
  title: string
}

/** What stands around the content of a mail. */
export interface Frame {
  /** absent: it is not known */
  language?: Language | undefined
  title: string
  /** at the top: the name of the platform, or its logo */
  brand?: Brand | undefined
  /** tables need more room than text */
  isWide?: boolean | undefined
  /** absent: as in light mode */
  darkButton?: ButtonColours | undefined
}

/** Colours of a button, `#rrggbb` or `#rgb`. */
export interface ButtonColours {
  background: string
  text: string
}

interface Brand {
  name: string
  /** https address of a picture; null: the name is written */
  logo: string | null
}

/** Where the pictures of a mail come, once they are drawn. */
export const picturesPlace = '<!--pictures-->'

const link = /https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]}]/g
/** In single quotes, as styles are in attributes. */
const fonts = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
/** Light mode; mail programs that know dark mode replace them by those of `darkColours`. */
const colours = {
  page: '#f2f4f5',
  card: '#ffffff',
  text: '#1c2024',
  quiet: '#5c646c',
  line: '#d9dee2',
  link: '#0b7285',
}
const darkColours = {
  page: '#141618',
  card: '#1f2226',
  text: '#e8eaec',
  quiet: '#a5adb5',
  line: '#3a4046',
  link: '#5fd3e6',
}
/** On a button; one of them has a contrast of at least 4.5 with every colour. */
const onButtons = ['#ffffff', '#000000'] as const

/** Pure. A button in a highlight colour, with the text that is read best on it. @param highlight null: of the platform */
export function buttonIn(highlight: string | null): ButtonColours {
  const background = highlight ?? colours.link
  const behind = channelsOf(background)
  if (behind === undefined) return { background: colours.link, text: onButtons[0] }
  const [light, dark] = onButtons
  return { background, text: contrast(channelsOf(light) ?? behind, behind) >= contrastGood ? light : dark }
}

const styles = {
  text: `font:15px/1.5 ${fonts};color:${colours.text}`,
  paragraph: `margin:0 0 16px;font:15px/1.5 ${fonts};color:${colours.text}`,
  heading: `margin:24px 0 8px;font:600 18px/1.3 ${fonts};color:${colours.text}`,
  list: 'margin:0 0 16px;padding:0 0 0 22px',
  item: `margin:0 0 4px;font:15px/1.5 ${fonts};color:${colours.text}`,
  link: `color:${colours.link}`,
  rule: `margin:0 0 16px;border:0;border-top:1px solid ${colours.line}`,
  caption: `margin:24px 0 8px;font:600 16px/1.3 ${fonts};color:${colours.text}`,
  head: `padding:6px 8px 6px 0;border-bottom:2px solid ${colours.line};font:600 14px/1.5 ${fonts};color:${colours.text};vertical-align:bottom`,
  cell: `padding:6px 8px 6px 0;border-bottom:1px solid ${colours.line};font:14px/1.5 ${fonts};color:${colours.text};vertical-align:top;overflow-wrap:anywhere`,
  below: `margin:0 0 8px;font:13px/1.5 ${fonts};color:${colours.quiet}`,
  picture: 'display:block;width:100%;max-width:536px;height:auto;margin:0 0 16px;border-radius:8px',
}
const table = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'

/** In dark mode; mail programs that replace colours themselves leave their mark (`data-ogsc`) instead of asking the mode. */
const darkRules = (before: string, button: ButtonColours | undefined) =>
  [
    `${before}.page{background-color:${darkColours.page} !important}`,
    `${before}.card{background-color:${darkColours.card} !important;border-color:${darkColours.line} !important}`,
    `${before}.text{color:${darkColours.text} !important}`,
    `${before}.quiet{color:${darkColours.quiet} !important}`,
    `${before}.link{color:${darkColours.link} !important}`,
    `${before}.rule{border-color:${darkColours.line} !important}`,
    ...(button === undefined
      ? []
      : [
          `${before}.button{background-color:${button.background} !important}`,
          `${before}.label{color:${button.text} !important}`,
        ]),
  ].join('')

/** Pure. A plain text as HTML for mail programs: paragraphs, lines and links as in the text, its pictures below. */
export function htmlOf(
  text: string,
  pictures: readonly ShownPicture[] = [],
  frame: Frame = { title: '' },
): string {
  return withPictures(documentOf(`${paragraphsOf(text)}\n${picturesPlace}`, frame), pictures)
}

/**
 * Pure. A document for mail programs, made so that it also looks right where only old HTML is understood: tables for
 * the layout, every style at its element, a width for Outlook, which knows no maximum, and dark colours.
 * @param content HTML made by the functions of this module
 */
export function documentOf(content: string, { language, title, brand, isWide, darkButton }: Frame): string {
  const width = isWide ? 800 : 600
  const head =
    brand === undefined
      ? ''
      : `<tr><td style="padding:24px 32px 0"><p class="text" style="margin:0;font:600 16px/1.3 ${fonts};color:${colours.text}">${brandHtml(brand)}</p></td></tr>`
  return [
    '<!doctype html>',
    `<html${language === undefined ? '' : ` lang="${language}"`} xmlns:o="urn:schemas-microsoft-com:office:office">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    '<meta name="x-apple-disable-message-reformatting">',
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">',
    `<title>${escaped(title)}</title>`,
    '<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><style>td,p,a,h1,li{font-family:Arial,sans-serif !important}</style><![endif]-->',
    `<style>:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${darkRules('', darkButton)}}${darkRules('[data-ogsc] ', darkButton)}</style></head>`,
    `<body class="page" style="margin:0;padding:0;background-color:${colours.page}">`,
    `<table ${table} width="100%" class="page" style="background-color:${colours.page}"><tr><td align="center" style="padding:24px 12px">`,
    `<!--[if mso]><table ${table} width="${width}" align="center"><tr><td><![endif]-->`,
    `<table ${table} width="100%" class="card" style="max-width:${width}px;background-color:${colours.card};border:1px solid ${colours.line};border-radius:10px">`,
    head,
    `<tr><td class="text" align="left" style="padding:24px 32px 12px;${styles.text};overflow-wrap:anywhere">`,
    content,
    '</td></tr></table>',
    '<!--[if mso]></td></tr></table><![endif]-->',
    '</td></tr></table></body></html>',
  ].join('\n')
}

function brandHtml({ name, logo }: Brand): string {
  if (logo === null) return escaped(name)
  return `<img src="${escaped(logo)}" alt="${escaped(name)}" height="40" style="display:block;height:40px;width:auto;border:0">`
}

/** Pure. The document with its pictures, each with its title for those who do not see it. */
export function withPictures(html: string, pictures: readonly ShownPicture[]): string {
  const images = pictures.map(
    ({ cid, title }) =>
      `<img src="cid:${escaped(cid)}" alt="${escaped(title)}" width="536" style="${styles.picture}">`,
  )
  return html.replace(picturesPlace, () => images.join('\n'))
}

/** Pure. Paragraphs of a plain text, with its lines and links. */
export function paragraphsOf(text: string): string {
  return text
    .trim()
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraphHtml(linesOf(paragraph)))
    .join('\n')
}

/** Pure. @param inner HTML */
export function paragraphHtml(inner: string): string {
  return `<p class="text" style="${styles.paragraph}">${inner}</p>`
}

/** Pure. @param inner HTML */
export function headingHtml(inner: string): string {
  return `<h1 class="text" style="${styles.heading}">${inner}</h1>`
}

/** Pure. @param items HTML of each */
export function listHtml(items: readonly string[]): string {
  const all = items.map((item) => `<li class="text" style="${styles.item}">${item}</li>`)
  return `<ul style="${styles.list}">\n${all.join('\n')}\n</ul>`
}

/** Pure. Tables with their captions. */
export function tablesHtml(tables: readonly MailTable[]): string {
  return tables.map(tableHtml).join('\n')
}

function tableHtml({ title, columns, rows, note }: MailTable): string {
  const caption = `<h2 class="text" style="${styles.caption}">${escaped(title)}</h2>`
  const below =
    note === null ? '' : `<p class="quiet" style="${styles.below};padding-top:8px">${escaped(note)}</p>`
  if (rows.length === 0) return caption + below
  const align = (index: number) => (columns[index]?.right ? 'right' : 'left')
  const head = columns.some((column) => column.title !== '')
    ? `<tr>${columns.map((column, index) => `<th class="text rule" align="${align(index)}" style="${styles.head}">${escaped(column.title)}</th>`).join('')}</tr>\n`
    : ''
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, index) => `<td class="text rule" align="${align(index)}" style="${styles.cell}">${escaped(cell)}</td>`).join('')}</tr>`,
  )
  return `${caption}\n<table width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 8px;border-collapse:collapse">${head}${body.join('\n')}\n</table>${below}`
}

export const ruleHtml = `<hr class="rule" style="${styles.rule}">`

/** Pure. A link in a text. @param inner HTML */
export function linkHtml(url: string, inner: string): string {
  return `<a href="${escaped(url)}" class="link" style="${styles.link}">${inner}</a>`
}

/** Pure. A link as a button, which is a cell with a background: Outlook knows no padding of links. @param inner HTML */
export function buttonHtml(url: string, inner: string, { background, text }: ButtonColours): string {
  const cell = `border-radius:6px;background-color:${background};mso-padding-alt:12px 22px`
  const style = `display:inline-block;padding:12px 22px;font:600 15px/1.2 ${fonts};color:${text};text-decoration:none;border-radius:6px`
  return [
    `<table ${table} style="margin:0 0 16px"><tr><td align="center" class="button" bgcolor="${background}" style="${cell}">`,
    `<a href="${escaped(url)}" class="label" style="${style}"><span class="label" style="color:${text}">${inner}</span></a></td></tr></table>`,
  ].join('')
}

/** Pure. What the platform adds below every template, in smaller letters. */
export function belowHtml(text: string): string {
  const content = linesOf(text.trim())
  return content === '' ? '' : `<p class="quiet" style="${styles.below}">${content}</p>`
}

/** Pure. Lines of a plain text, its links made links. */
export function linesOf(text: string): string {
  return text.split('\n').map(lineOf).join('<br>\n')
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

/** Pure. Text that nothing in HTML takes for more than text. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
