import { contrastGood } from '@leitstand/contract/brandColours'
import { channelsOf, contrast } from '@leitstand/contract/colours'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buttonIn, htmlOf, withPictures } from '../html.ts'
import { mailKind, type TemplateText } from './kind.ts'
import { faultsOf } from './parse.ts'
import { render } from './render.ts'

const both = (text: string) => ({ de: text, en: text })
const kind = mailKind({
  id: 'trial',
  area: 'access',
  title: both('Trial'),
  readers: both('nobody'),
  languages: 'spoken',
  variables: {
    name: { type: 'text', label: both('Name'), example: both('Ada') },
    text: { type: 'lines', label: both('Text'), example: both('One\nTwo') },
    link: { type: 'link', label: both('Link'), example: both('https://iot.example/#/x'), isRequired: true },
    isNew: { type: 'flag', label: both('New'), example: both('yes') },
  },
  texts: both({ subject: '', body: '' } as never) as never,
})
const presence = {
  accountId: null,
  name: both('IoT & more'),
  logo: null,
  highlight: { light: null, dark: null },
}
const values = { name: 'Ada', text: 'One\n\nTwo', link: 'https://iot.example/#/x?token=1', isNew: true }

const words = (body: string, subject = 'Hello'): TemplateText => ({ subject, body })
const shown = (body: string, given: Partial<typeof values> = {}, subject = 'Hello') =>
  render(kind, words(body, subject), { language: 'en', values: { ...values, ...given }, presence })
const codes = (body: string, subject?: string) =>
  faultsOf(kind, words(body, subject)).map(({ field, code, name, line, column }) =>
    [field, code, name, line, column].filter((each) => each !== null).join(' '),
  )

test('a template becomes text and HTML: paragraphs, heading, list, bold, rule, link, button, sections', () => {
  const { subject, text, html } = shown(
    [
      '# Dear {{name}}',
      '',
      'this is **new** at {{product}}',
      'and [here](https://city.example/a?b=1&c=2).',
      '',
      '- one',
      '- {{name}}',
      '{{#isNew}}',
      '',
      '[Open]({{link}})',
      '{{/isNew}}',
      '{{^isNew}}',
      'old',
      '{{/isNew}}',
      '',
      '---',
      '',
      '{{text}}',
    ].join('\n'),
    {},
    'For {{name}}',
  )
  expect(subject).toBe('For Ada')
  expect(text).toBe(
    [
      'Dear Ada',
      'this is new at IoT & more\nand here (https://city.example/a?b=1&c=2).',
      '- one\n- Ada',
      'Open: https://iot.example/#/x?token=1',
      '---',
      'One\n\nTwo',
    ].join('\n\n'),
  )
  expect(html).toMatch(/<h1 [^>]*>Dear Ada<\/h1>/)
  expect(html).toContain('this is <strong>new</strong> at IoT &#38; more<br>')
  expect(html).toMatch(/<a href="https:\/\/city.example\/a\?b=1&#38;c=2"[^>]*>here<\/a>\./)
  expect(html).toMatch(/<li [^>]*>one<\/li>\n<li [^>]*>Ada<\/li>/)
  expect(html).toMatch(/bgcolor="#0b7285"[^>]*>\s*<a href="https:\/\/iot.example\/#\/x\?token=1"/)
  expect(html).toMatch(/<p [^>]*>One<\/p>\n<p [^>]*>Two<\/p>/)
  expect(html).not.toContain('old')
})

test('values are only ever text, in whatever they are written', () => {
  const name =
    '<img src=x onerror=alert(1)>\r\nBcc: all@example.org **b** [x](https://evil.example) {{{link}}} {secret}'
  const { subject, html, text } = shown('# {{name}}\n\n{{name}} {{link}}', { name }, '{{name}}')
  expect(subject).not.toMatch(/[\r\n]/)
  expect(subject).toContain('onerror=alert(1)> Bcc:')
  expect(html).not.toMatch(/<img|<strong>|href="https:\/\/evil/)
  expect(html).toContain('&#60;img src=x onerror=alert(1)&#62;')
  expect(html).toContain('**b** [x](https://evil.example) {{{link}}} { secret }')
  expect(text).not.toContain('{secret}')
  const turned = shown('{{text}}', { text: 'a\u202eb\u0007c\uE0000\uE001\n# no heading' })
  expect(turned.text).toBe('abc0\n# no heading')
  expect(turned.html).not.toContain('<h1')
})

test('an address of the platform never becomes part of one that leads elsewhere', () => {
  const { html, text } = shown(
    'https://evil.example/?{{link}} [x](https://evil.example/?{{link}}) [{{link}}](https://evil.example)',
  )
  expect(html).not.toMatch(/href="https:\/\/evil\.example[^"]*token/)
  expect(text).not.toMatch(/evil\.example\/\?https/)
})

test('what a template must not hold is refused, with its place', () => {
  const good = '{{link}}'
  expect(codes(good)).toEqual([])
  expect(codes('[Open]({{ link }}) {{#isNew}}{{name}}{{/isNew}}')).toEqual([])
  expect(codes(`${good}\nDear {{nobody}}`)).toEqual(['body unknown nobody 2 6'])
  expect(codes(`${good} {{constructor}} {{__proto__}}`)).toEqual([
    'body unknown constructor 1 10',
    'body unknown __proto__ 1 26',
  ])
  expect(codes('no link')).toEqual(['body missing link'])
  expect(codes('{{#isNew}}{{link}}{{/isNew}}')).toEqual(['body missing link'])
  expect(codes(`${good}{{name`)).toEqual([expect.stringMatching(/^body syntax 1 \d+$/)])
  expect(codes(`${good}{{#isNew}}`)).toEqual([expect.stringMatching(/^body syntax 1 \d+$/)])
  expect(codes(`${good}{{/isNew}}`)).toEqual([expect.stringMatching(/^body syntax 1 \d+$/)])
  for (const tag of ['{{{name}}}', '{{&name}}', '{{>name}}', '{{! x }}', '{{=<% %>=}}'])
    expect(codes(`${good} ${tag}`)).toEqual(['body tag 1 10'])
  expect(codes(`${good}{{isNew}}`)).toEqual(['body flag isNew 1 9'])
  expect(codes(good, 'See {{link}}')).toEqual(['subject link link 1 5'])
  for (const link of [
    '[x](javascript:alert(1))',
    '[x](http://city.example)',
    '[x]({{name}})',
    'http://a.example',
  ])
    expect(codes(`${good} ${link}`)[0]).toMatch(/^body link 1 1\d$/)
  expect(codes(`${good} [x](https://evil.example/?{{link}})`)).toEqual(['body link 1 10'])
  expect(codes(`${good} \u202e`)).toEqual(['body hidden 1 10'])
  expect(codes(`${good} \uE0000\uE001`)).toEqual(['body hidden 1 10'])
  const deep = (levels: number) => '{{#isNew}}'.repeat(levels) + '{{/isNew}}'.repeat(levels)
  expect(codes(good + deep(3))).toEqual([])
  expect(codes(good + deep(450))).toEqual([expect.stringMatching(/^body nesting/)])
})

test('a template full of marks is read at once', () => {
  for (const piece of [
    '{{',
    '[',
    '[[](',
    '**',
    '{{#isNew}}',
    '{{name}}',
    '\n',
    '- \n',
    '](',
    '{{name}}{{link}}',
  ]) {
    const body = piece.repeat(10_000 / piece.length)
    const began = process.cpuUsage()
    faultsOf(kind, words(body))
    if (faultsOf(kind, words(`{{link}}${body}`)).length === 0) shown(body)
    const { user } = process.cpuUsage(began)
    expect(user, piece).toBeLessThan(2_000_000)
  }
})

test('the HTML is what mail programs show alike', () => {
  const { html } = render(kind, words('# Hello\n\nText\n\n- one\n\n[Open]({{link}})\n\n---', 'Subject <1>'), {
    language: 'de',
    values,
    presence: { ...presence, logo: 'https://iot.example/api/theming/image/1.png' },
    below: '\n\n--\nTo get no more: https://iot.example/#/stop',
  })
  expect(html).toMatch(/^<!doctype html>\n<html lang="de"/)
  expect(html).toContain('<title>Subject &#60;1&#62;</title>')
  // Nothing is loaded but the logo, which has a text for those who do not see it.
  expect(html).not.toMatch(/<(script|link|object|form|base)\b|@import|url\(/i)
  const images = html.match(/<img [^>]*>/g)
  expect(images).toEqual([
    expect.stringMatching(
      /src="https:\/\/iot\.example\/api\/theming\/image\/1\.png" alt="IoT &#38; more" height="40"/,
    ),
  ])
  // Tables make the layout; every element that shows something has its style with it.
  expect(html).not.toMatch(/<div|<section|display:(flex|grid)|position:/)
  for (const [tag] of html.matchAll(/<(p|h1|li|ul|a|td|hr)\b[^>]*>/g))
    if (!tag.includes('mso') && !tag.includes('href="https://iot.example/#/stop"') && tag !== '<td>')
      expect(tag).toContain('style="')
  for (const [tag] of html.matchAll(/<table\b[^>]*>/g)) expect(tag).toContain('role="presentation"')
  expect(html).toContain('width="600"')
  expect(html).toContain('max-width:600px')
  // Dark mode, where it is asked for and where it is forced.
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  expect(html).toContain('@media (prefers-color-scheme:dark)')
  expect(html).toContain('[data-ogsc] .text')
  // Outlook has its own document settings, a table of fixed width, and a button that is a cell.
  expect(html.match(/<!--\[if mso\]>/g)).toHaveLength(3)
  expect(html.match(/<!\[endif\]-->/g)).toHaveLength(3)
  expect(html).toContain('mso-padding-alt')
  expect(html.indexOf('</style>')).toBeLessThan(8192)
  expect(html).toContain('To get no more: <a href="https://iot.example/#/stop">')
  expect(html).not.toMatch(/style="[^"]*"[a-zA-Z]/)
})

test('pictures come where the mail has its place for them', () => {
  const { html } = shown('{{name}} {{link}}', { name: '<!--pictures-->' })
  const one = withPictures(html, [{ cid: '1@x', title: 'Chart $& "1"' }])
  expect(one.match(/<img /g)).toHaveLength(1)
  expect(one).toContain('alt="Chart $&#38; &#34;1&#34;"')
  expect(one.indexOf('cid:1@x')).toBeGreaterThan(one.indexOf('href='))
})

test('a mail without a template has the same frame', () => {
  expect(htmlOf('One\n\nTwo')).toMatch(/<p class="text" style="[^"]+">One<\/p>\n<p/)
})

test('buttons have the highlight colours of the brand, in both modes', () => {
  const highlight = { light: '#ffd400', dark: '#8a1538' }
  const { html } = render(kind, words('[Open]({{link}})'), {
    language: 'en',
    values,
    presence: { ...presence, highlight },
  })
  expect(html).toMatch(/class="button" bgcolor="#ffd400" style="[^"]*background-color:#ffd400/)
  expect(html).toContain('<span class="label" style="color:#000000">Open')
  expect(html).toContain('.button{background-color:#8a1538 !important}')
  expect(html).toContain('.label{color:#ffffff !important}')
  expect(shown('[Open]({{link}})').html).not.toContain('.button{')
})

test('the text of a button can be read on every colour', () => {
  const byte = fc.nat(255).map((each) => each.toString(16).padStart(2, '0'))
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte), (channels) => {
      const { background, text } = buttonIn(`#${channels.join('')}`)
      const [behind, letters] = [channelsOf(background), channelsOf(text)]
      expect(behind && letters && contrast(behind, letters)).toBeGreaterThanOrEqual(contrastGood)
    }),
  )
})

test('tables are tables in HTML and lines in text, with nothing in them but text', () => {
  const tabular = mailKind({
    ...kind,
    variables: {
      tables: { type: 'tables', label: both('Tables'), example: both('…'), isRequired: true },
    },
  })
  const tables = [
    {
      title: 'Open <alarms>',
      columns: [{ title: 'Device' }, { title: 'Count', right: true as const }],
      rows: [
        ['<script>x</script>', '3'],
        ['line\nbreak \u202e{secret}', '4'],
      ],
      note: 'and 2 more',
    },
  ]
  const { text, html } = render(tabular, words('Before\n\n{{tables}}\n\n{{#tables}}there{{/tables}}'), {
    language: 'en',
    values: { tables },
    presence,
  })
  expect(text).toBe(
    'Before\n\nOpen <alarms>\n-------------\n<script>x</script> | 3\nline break { secret } | 4\nand 2 more\n\nthere',
  )
  expect(html).toContain('&#60;script&#62;x&#60;/script&#62;</td>')
  expect(html).toMatch(/<th class="text rule" align="right"[^>]*>Count/)
  expect(html).toContain('max-width:800px')
  expect(html).not.toMatch(/<script|\{secret\}|\u202e/)
})
