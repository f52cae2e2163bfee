import { expect, test } from 'vitest'
import { parseUsers, splitCsv } from './csv.ts'

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
