import { describe, expect, test } from 'vitest'
import { isCommon, leaked } from './common.ts'

describe('passwords everybody tries first', () => {
  test.each([
    ...[
      'password',
      'Password1',
      'P@ssw0rd',
      'Passw0rt123!',
      'passwort2024',
      'kennwort1',
      'Welcome1',
      'Willkommen!',
    ],
    ...['12345678', '123456789', '87654321', '11111111', '19841984', '20242024', '123123123', '00000000'],
    ...[
      'qwerty123',
      'qwertz123',
      'qwertyuiop',
      'asdfghjkl',
      'yxcvbnm123',
      '1q2w3e4r',
      '1qaz2wsx',
      'q1w2e3r4t5',
    ],
    ...[
      'abcd1234',
      'abc12345',
      'aaaaaaaa',
      'abababab',
      'iloveyou',
      'ichliebedich',
      'princess1',
      'Prinzessin99',
    ],
    ...[
      'sunshine',
      'Sonnenschein1',
      'football',
      'Fussball!',
      'superman',
      'batman123',
      'trustno1',
      'letmein1',
    ],
    ...[
      'schatzschatz',
      'passwordpassword',
      'adminadmin',
      'Admin123',
      'administrator',
      'changeme',
      'leitstand1',
    ],
    ...['master123', 'dragon12', 'monkey123', 'michael1', 'jennifer', 'Hallo123', 'hallohallo', 'sommer2025'],
    ...['Berlin2024!', 'Deutschland1', 'december24', 'Montag123', 'asdf1234', 'test1234', '!@#$%^&*'],
  ])('%s', (password) => {
    expect(isCommon(password)).toBe(true)
  })
})

describe('passwords nobody tries', () => {
  test.each([
    ...['correct horse battery', 'a long enough passphrase', 'All of it, 4 sure!', 'Something quite new 7'],
    ...['kd83Hs_2', 'Regenwurm im Garten', 'tPx7mQ2k', 'zwölf grüne Enten', '🐘🐘 am Morgen', 'hqvtznkw'],
    ...['8314072596140377', 'wandern-7-Kaffee'],
  ])('%s', (password) => {
    expect(isCommon(password)).toBe(false)
  })
})

test('who somebody is makes no password', () => {
  const own = ['ada.lovelace', 'ada.lovelace@example.org']
  for (const password of ['lovelace1', 'Lovelace2024!', 'l0velace', 'lovelacelovelace'])
    expect(isCommon(password, own)).toBe(true)
  expect(isCommon('lovelace and her engine', own)).toBe(false)
})

describe('what is known of the person', () => {
  const own = ['kx7-tt9', 'maria.engel@wasser.example', 'Maria', 'Çelik', 'Stadtwerke Aue']
  test.each([
    ...['kx7-tt9!', 'KX7TT9', 'kx7-tt9kx7-tt9', 'kx7tt92026', '9tt-7xk1'],
    ...[
      'maria.engel@wasser.example',
      'Maria.Engel1',
      'lEGNE-aIRAM',
      'M@r1a2026!',
      'engelmaria99',
      'wasser.example1',
    ],
    ...[
      'Çelik1234',
      'kileÇ-2024',
      'çelikçelik',
      'ｃ̧elik2024',
      'Stadtwerke Aue',
      'stadtwerkeaue1',
      'eua ekrewtdats',
    ],
    ...['ab-maria-c', '2026 Maria Çelik', 'Maria#Aue7'],
  ])('%s is no password', (password) => {
    expect(isCommon(password, own)).toBe(true)
  })

  test.each(['maria goes swimming daily', 'four grey herons', 'vQ7#marl0-tiHx', 'celebration of herons'])(
    '%s is one',
    (password) => {
      expect(isCommon(password, own)).toBe(false)
    },
  )

  test('of nobody is known nothing', () => {
    expect(isCommon('kx7-tt9-vw2', [])).toBe(false)
    expect(isCommon('kx7-tt9-vw2', ['', '-', 'ab'])).toBe(false)
  })
})

test('the most frequent leaked passwords are refused, all of them, and with something around them', () => {
  const long = [...leaked].filter((password) => password.length >= 8)
  // The standard requires at least the 3 000 most common ones that the rules would allow.
  expect(long.length).toBeGreaterThan(10_000)
  expect(long.filter((password) => !isCommon(password))).toEqual([])
  expect(long.filter((password) => !isCommon(password.toUpperCase()))).toEqual([])
  for (const password of ['Blink182!', 'trustno1', '...slipknot99', 'Metallica2026'])
    expect(isCommon(password)).toBe(true)
})

test('a leaked password is found among signs, unless it is cut in two or shorter than six letters', () => {
  for (const password of ['..12345678--', '7%4-qwerty-9&1']) expect(isCommon(password)).toBe(true)
  for (const password of ['(12*3456', '(qw*erty', '..money--']) expect(isCommon(password)).toBe(false)
})
