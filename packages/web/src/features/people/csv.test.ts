import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitCsv } from '../../lib/splitCsv.ts'
import { parseUsers, toUser } from './csv.ts'

const problems = (text: string) => parseUsers(text).map(({ line, problem }) => [line, problem])

test('reads first name, last name and e-mail, and what else is there', () => {
  const text = 'Vorname;Nachname;E-Mail\nAda;Lind;ada@example.org;adal;+49 1;+49 2;"{""floor"": 3}"\n'
  expect(parseUsers(text)).toEqual([
    {
      line: 2,
      firstName: 'Ada',
      lastName: 'Lind',
      email: 'ada@example.org',
      username: 'adal',
      phone: '+49 1',
      mobile: '+49 2',
      properties: { floor: 3 },
      roles: '',
      problem: null,
    },
  ])
})

test('says what is wrong with a row', () => {
  const text = [
    'Ada;Lind;ada@example.org',
    'Ben;;ben@example.org',
    'Cem;Ay',
    'Dora;Fink;dora.example.org',
    'Eva;Wolf;eva@example.org;;;;{floor}',
    'Ada;Lind;ADA@example.org',
    'Finn;Beck;finn@example.org;;;;[1]',
  ].join('\r\n')
  expect(problems(text)).toEqual([
    [1, null],
    [2, 'fields'],
    [3, 'fields'],
    [4, 'email'],
    [5, 'properties'],
    [6, 'twice'],
    [7, 'properties'],
  ])
})

test('understands commas, tabs, quotes over lines and empty lines', () => {
  expect(splitCsv('a,"b, c"\n\n"d\ne",f')).toEqual([
    { line: 1, fields: ['a', 'b, c'] },
    { line: 3, fields: ['d\ne', 'f'] },
  ])
  expect(splitCsv('a\tb')).toEqual([{ line: 1, fields: ['a', 'b'] }])
  expect(splitCsv('')).toEqual([])
})

describe('any table', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'ß', '"', ' ', '\n', '1', '🌡'),
    minLength: 1,
    maxLength: 6,
  })
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`

  test.each([';', ',', '\t'])('separated by %j is read as it was written', (separator) => {
    const row = fc.tuple(cell, cell).filter((cells) => cells.some((each) => each.trim() !== ''))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), (rows, end) => {
        const all = [['x', 'y'], ...rows]
        const text = all.map((cells) => cells.map(quote).join(separator)).join(end)
        expect(splitCsv(text).map(({ fields }) => fields)).toEqual(all)
      }),
    )
  })

  test('names the line on which a row begins', () => {
    expect(splitCsv('a;b\n"1\n2\n3";c\n\n\nd;e').map(({ line }) => line)).toEqual([1, 2, 7])
  })

  test.each([
    ['a;b,c', [['a', 'b,c']]],
    ['a,b;c,d', [['a', 'b;c', 'd']]],
    ['a b', [['a b']]],
    ['a;"b', [['a', 'b']]],
    ['a;b"c', [['a', 'b"c']]],
    ['a; "b;c" ', [['a', 'b;c ']]],
    [';;\n;a', [['', 'a']]],
    ['\n\n', []],
    ['a;', [['a', '']]],
  ])('%j', (text, rows) => {
    expect(splitCsv(text).map(({ fields }) => fields)).toEqual(rows)
  })

  test('of any text does not fail and has no empty rows', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ';', ',', '\n', '\r', '\t', '@') }), (text) => {
        for (const { fields } of splitCsv(text)) expect(fields.some((each) => each.trim() !== '')).toBe(true)
        for (const { email, problem } of parseUsers(text)) if (problem === null) expect(email).toContain('@')
      }),
    )
  })
})

describe('a list of users', () => {
  test('may have a byte order mark and a heading', () => {
    expect(problems('\ufeffVorname;Nachname;E-Mail\nAda;Lind;ada@example.org')).toEqual([[2, null]])
    expect(problems('Ada;Lind;ada@example.org')).toEqual([[1, null]])
    expect(problems('\ufeff')).toEqual([])
    expect(problems('Vorname;Nachname;E-Mail')).toEqual([])
  })

  test.each([
    ['ada@example.org', null],
    ['ADA@EXAMPLE.ORG', null],
    ['ada@bücher.example', null],
    ['ada@localhost', null],
    ['ada', 'email'],
    ['ada@', 'email'],
    ['@example.org', 'email'],
    ['a da@example.org', 'email'],
    ['a@b@c', 'email'],
    ['', 'fields'],
  ])('the address %s: %s', (email, problem) => {
    expect(problems(`Erste;Zeile;erste@example.org\nAda;Lind;${email}`)[1]).toEqual([2, problem])
  })

  test('the same address is a problem each time after the first', () => {
    const row = 'Ada;Lind;ada@example.org'
    expect(problems([row, row, row].join('\n')).map(([, problem]) => problem)).toEqual([
      null,
      'twice',
      'twice',
    ])
  })

  test('an address is taken even if its row has another problem', () => {
    expect(problems('Ada;;ada@example.org\nAda;Lind;ada@example.org').map(([, problem]) => problem)).toEqual([
      'fields',
      'twice',
    ])
  })

  test('blanks around a value are no part of it', () => {
    expect(parseUsers(' Ada ;  Lind; ada@example.org ; ; +49 1 ')[0]).toMatchObject({
      firstName: 'Ada',
      lastName: 'Lind',
      email: 'ada@example.org',
      username: undefined,
      phone: '+49 1',
      mobile: '',
      properties: {},
      problem: null,
    })
  })

  test.each([
    ['{}', {}, null],
    ['{"floor":3}', { floor: 3 }, null],
    ['null', {}, 'properties'],
    ['[]', {}, 'properties'],
    ['"text"', {}, 'properties'],
    ['{floor}', {}, 'properties'],
  ])('the properties %s', (json, properties, problem) => {
    const quoted = `"${json.replaceAll('"', '""')}"`
    expect(parseUsers(`Ada;Lind;ada@example.org;;;;${quoted}`)[0]).toMatchObject({ properties, problem })
  })
})

describe('a row as it is sent', () => {
  const [row] = parseUsers('Märta;Müller;m@example.org;mm;040 1;0170 2;{"badge":7}')
  const [short] = parseUsers('Ada;Lind;a@example.org')

  test('has all that was entered, and nothing of the list itself', () => {
    expect(row && toUser(row)).toEqual({
      firstName: 'Märta',
      lastName: 'Müller',
      email: 'm@example.org',
      username: 'mm',
      phone: '040 1',
      mobile: '0170 2',
      properties: { badge: 7 },
    })
  })

  test('without a user name leaves it to the server', () => {
    expect(short && 'username' in toUser(short)).toBe(false)
  })
})
